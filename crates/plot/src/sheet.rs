//! Several plots as one figure, as publications print them.

use super::figure::Figure;

/// Panels in rows, under a title and over a caption.
#[derive(Clone, Debug, PartialEq)]
pub struct Sheet {
    pub(super) title: String,
    pub(super) caption: String,
    /// Panels in a row.
    pub(super) columns: usize,
    pub(super) panels: Vec<Figure>,
    /// All panels have the axes that hold all of them.
    pub(super) same_axes: bool,
}

impl Sheet {
    /// `panels` in rows of `columns`.
    pub fn of_panels(title: &str, columns: usize, panels: Vec<Figure>) -> Self {
        let (title, caption) = (title.to_owned(), String::new());
        Self { title, caption, columns: columns.max(1), panels, same_axes: false }
    }

    /// A copy with a text below: what is shown, and the numbers it was made with.
    #[must_use]
    pub fn captioned(mut self, text: &str) -> Self {
        text.clone_into(&mut self.caption);
        self
    }

    /// A copy in which all panels have the same axes.
    #[must_use]
    pub fn with_same_axes(mut self) -> Self {
        self.same_axes = true;
        self
    }

    /// Points that the axes can show, of the panel that shows fewest.
    pub fn shown(&self) -> usize {
        self.panels.iter().map(Figure::shown).min().unwrap_or(0)
    }
}

/// A figure of many groups becomes a panel for each, all with the same axes.
impl From<&Figure> for Sheet {
    fn from(figure: &Figure) -> Self {
        let panels = figure.parts();
        let columns = if panels.len() == 1 { 1 } else { 2 };
        let caption = figure.caption.clone();
        let mut sheet =
            Self { title: figure.title.clone(), caption, columns, panels, same_axes: columns > 1 };
        if let [only] = &mut sheet.panels[..] {
            only.title.clear();
            only.caption.clear();
        }
        sheet
    }
}
