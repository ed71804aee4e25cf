const MINUS = '\u2212';

const plain = (value: number, decimals: number): string => {
  const [whole = '', fraction] = Math.abs(value).toFixed(decimals).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return `${value < 0 ? MINUS : ''}${grouped}${fraction === undefined ? '' : `.${fraction}`}`;
};

export const count = (value: number): string => plain(value, 0);

/** A count with its noun: "1 trade", "2 trades". */
export const counted = (value: number, one: string, many = `${one}s`): string => `${count(value)} ${value === 1 ? one : many}`;

/** A change in percent with its sign, such as +12.50 %. */
export function change(percent: number): string {
  const text = percentText(percent);
  return percent > 0 ? `+${text}` : text;
}

/** Formats a share in percent with one decimal: 18.9 %. */
export const share = (percent: number): string => `${plain(percent, 1)}\u00a0%`;

/** A percentage with two decimals. From 100 % on it has one decimal, and from 1000 % on it has none. */
export const percentText = (percent: number): string =>
  `${plain(percent, Math.abs(percent) >= 1000 ? 0 : Math.abs(percent) >= 100 ? 1 : 2)}\u00a0%`;

/** A natural logarithm with its sign, such as +0.068: by how much a price has moved. */
export const logarithm = (value: number): string => `${value > 0 ? '+' : ''}${plain(value, 3)}`;

export const points = (value: number): string => plain(value, 2);

/** Shortens an address or a hash to the form 0x1234…abcd, which is enough to tell the addresses of one list apart. */
export const shortHex = (hex: string): string => `${hex.slice(0, 6)}…${hex.slice(-4)}`;
