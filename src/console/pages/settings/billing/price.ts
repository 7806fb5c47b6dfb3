/** Formats prices. */

export interface Price {
  /** In minor units, such as cents. */
  amount: number
  currency: string
}

/** `{amount: 4900, currency: 'usd'}` → `$49` */
export function priceText({ amount, currency }: Price): string {
  const plain = new Intl.NumberFormat('en', { style: 'currency', currency })
  const digits = plain.resolvedOptions().maximumFractionDigits ?? 2
  const value = amount / 10 ** digits
  const shown = Number.isInteger(value) ? 0 : digits
  return new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
    minimumFractionDigits: shown,
    maximumFractionDigits: shown,
  }).format(value)
}
