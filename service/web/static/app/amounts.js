// Exact amounts in the page: decimal strings in, decimal strings out, whole millionths in between. No floats.

const SCALE = 6;
const ONE = 10n ** BigInt(SCALE);

export function read(text) {
  const minus = text.startsWith("-");
  const [whole, fraction = ""] = (minus ? text.slice(1) : text).split(".");
  const value = BigInt(whole || "0") * ONE + BigInt(fraction.padEnd(SCALE, "0"));
  return minus ? -value : value;
}

export function write(value) {
  const minus = value < 0n;
  const bare = minus ? -value : value;
  const fraction = (bare % ONE).toString().padStart(SCALE, "0").replace(/0+$/, "");
  return `${minus ? "-" : ""}${bare / ONE}${fraction ? `.${fraction}` : ""}`;
}

export const add = (a, b) => write(read(a) + read(b));
export const subtract = (a, b) => write(read(a) - read(b));
export const times = (a, n) => write(read(a) * BigInt(n));
// of a decimal and a decimal, every digit
export function product(a, b) {
  const value = read(a) * read(b);
  const minus = value < 0n;
  const digits = (minus ? -value : value).toString().padStart(2 * SCALE + 1, "0");
  return `${minus ? "-" : ""}${digits.slice(0, -2 * SCALE)}.${digits.slice(-2 * SCALE)}`;
}
export const compare = (a, b) => (read(a) < read(b) ? -1 : read(a) > read(b) ? 1 : 0);
export const isZero = (a) => read(a) === 0n;
export const total = (amounts) => write(amounts.reduce((sum, each) => sum + read(each), 0n));

// What somebody typed, comma or point, as a decimal string; null where it is not one amount without doubt:
// one separator at most, so `1.234,50` is never taken for 1.23, and at most `SCALE` digits behind it.
export function typed(text) {
  const match = /^([-+\u2212]?)(\d*)(?:[.,](\d*))?$/.exec(text.trim());
  if (!match) return null;
  const [, sign, whole, fraction = ""] = match;
  if (!whole && !fraction) return null;
  if (whole.length > 12 || fraction.length > SCALE) return null;
  return write(read(`${sign && sign !== "+" ? "-" : ""}${whole || "0"}${fraction ? `.${fraction}` : ""}`));
}

// The least whole number of chips that is no less than the amount.
export function multiple(amount, chip) {
  const [value, one] = [read(amount), read(chip)];
  return write(((value + one - 1n) / one) * one);
}

// Whether an amount is a whole number of chips.
export function isWhole(amount, chip) {
  return read(amount) % read(chip) === 0n;
}
