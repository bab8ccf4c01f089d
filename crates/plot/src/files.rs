//! Figures and sheets as files.

use super::draw::draw;
use super::figure::Figure;
use super::sheet::Sheet;
use super::theme::Theme;
use super::{pdf, svg};

/// Files of a figure beside SVG. There is no PNG without the feature `full`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Formats {
    pub pdf: bool,
    pub png: bool,
}

impl Sheet {
    /// An SVG image that needs nothing beside it: no style sheet, no font, no script.
    pub fn to_svg(&self, theme: Theme) -> String {
        svg::svg(&draw(self, theme))
    }

    /// Names and contents of the files: SVG on light and on dark ground, and the formats `also`, PNG on both grounds too.
    pub fn files(&self, stem: &str, also: Formats) -> Vec<(String, Vec<u8>)> {
        let svg = |theme| self.to_svg(theme).into_bytes();
        let mut files =
            vec![(format!("{stem}.svg"), svg(Theme::Light)), (format!("{stem}-dark.svg"), svg(Theme::Dark))];
        files.extend(also.pdf.then(|| (format!("{stem}.pdf"), self.to_pdf())));
        #[cfg(feature = "png")]
        if also.png {
            files.push((format!("{stem}.png"), self.to_png(Theme::Light)));
            files.push((format!("{stem}-dark.png"), self.to_png(Theme::Dark)));
        }
        files
    }

    /// A PDF of one page, on light ground.
    pub fn to_pdf(&self) -> Vec<u8> {
        pdf::pdf(&draw(self, Theme::Light))
    }

    /// A PNG of two dots a pixel of the page.
    #[cfg(feature = "png")]
    pub fn to_png(&self, theme: Theme) -> Vec<u8> {
        super::png::png(&draw(self, theme))
    }
}

impl Figure {
    /// An SVG image that needs nothing beside it: no style sheet, no font, no script.
    pub fn to_svg(&self, theme: Theme) -> String {
        Sheet::from(self).to_svg(theme)
    }

    /// Names and contents of the files of this figure, as [`Sheet::files`] gives them.
    pub fn files(&self, stem: &str, also: Formats) -> Vec<(String, Vec<u8>)> {
        Sheet::from(self).files(stem, also)
    }
}
