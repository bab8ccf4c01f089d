// Numbers as people read them.

const MINUS = "−";
const THIN = " ";

function signed(text: string): string {
  return text.replace("-", MINUS);
}

/** Four significant digits without exponent where that is readable. */
export function number(value: number): string {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e6)) return scientific(value);
  const digits = size === 0 ? 1 : Math.min(Math.max(3 - Math.floor(Math.log10(size)), 0), 4);
  return signed(value.toFixed(digits));
}

/** With so many digits after the first. */
export function scientific(value: number, digits = 1): string {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const [mantissa, exponent] = value.toExponential(Number.isFinite(digits) ? Math.min(digits, 8) : 1).split("e");
  return signed(`${mantissa}·10${superscript(exponent ?? "0")}`);
}

function superscript(exponent: string): string {
  const digits = "⁰¹²³⁴⁵⁶⁷⁸⁹";
  return [...exponent].map((c) => (c === "-" ? "⁻" : c === "+" ? "" : digits[Number(c)])).join("");
}

/** A pressure for a legend. */
export function pressure(pascals: number): string {
  if (pascals >= 1e7) return `${trimmed(pascals / 1e6)}${THIN}MPa`;
  if (pascals > 0 && pascals < 10) return `${trimmed(pascals)}${THIN}Pa`;
  return `${trimmed(pascals / 1e3)}${THIN}kPa`;
}

export function force(newtons: number): string {
  const size = Math.abs(newtons);
  if (size >= 1e4) return `${signed((newtons / 1e3).toPrecision(3))}${THIN}kN`;
  return `${signed(newtons.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2))}${THIN}N`;
}

/** A component of a vector of the given size: the digits that mean something, and no -0. */
export function component(value: number, size: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "–" : signed(value < 0 ? "-∞" : "∞");
  const digits = size >= 100 ? 1 : size >= 1 ? 2 : 3;
  const rounded = Number(value.toFixed(digits));
  return signed((rounded === 0 ? 0 : rounded).toFixed(digits));
}

/** Without the zeros that say nothing. */
export function trimmed(value: number): string {
  return String(Number(value.toPrecision(4)));
}

function rounded(value: number): string {
  return String(Number(value.toPrecision(2)));
}

/** A time in a run that lasts `duration` [s]. */
export function time(t: number, duration: number): string {
  return signed(t.toFixed(duration < 1 ? 4 : 3));
}

/** Two digits: for a caption, not for a measurement. */
export function length(metres: number): string {
  if (metres === 0) return `0${THIN}mm`;
  if (metres < 1e-7) return `${rounded(1e9 * metres)}${THIN}nm`;
  if (metres < 1e-4) return `${rounded(1e6 * metres)}${THIN}µm`;
  if (metres < 0.01) return `${rounded(1e3 * metres)}${THIN}mm`;
  if (metres < 1) return `${rounded(1e2 * metres)}${THIN}cm`;
  return `${rounded(metres)}${THIN}m`;
}
