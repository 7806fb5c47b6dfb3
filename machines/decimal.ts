/**
 * Exact non-negative decimal numbers, as text such as `0.0123`: no exponent, no rounding. Internally they are integers
 * in units of the last decimal place.
 */

/** The decimal places of a unit. */
export const decimalPlaces = 24
/** The accepted digits before the point; sums may have more. */
const digitsMax = 15

/** The texts that `readUnits` accepts. */
export const decimalPattern = `^(?:0|[1-9][0-9]{0,${digitsMax - 1}})(?:\\.[0-9]{1,${decimalPlaces}})?$`
const decimal = new RegExp(decimalPattern)

/** The number in units of 10^-24; undefined for any other text. */
export const readUnits = (text: string): bigint | undefined => (decimal.test(text) ? unitsOf(text) : undefined)

/** The same for the text of a number. */
export function unitsOf(text: string): bigint {
  const [whole, fraction = ''] = text.split('.')
  return BigInt(`${whole}${fraction.padEnd(decimalPlaces, '0')}`)
}

/** The shortest text of a number of units. */
export function decimalOf(units: bigint): string {
  const digits = units.toString().padStart(decimalPlaces + 1, '0')
  const fraction = digits.slice(-decimalPlaces).replace(/0+$/, '')
  return `${digits.slice(0, -decimalPlaces)}${fraction === '' ? '' : `.${fraction}`}`
}
