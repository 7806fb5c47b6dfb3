/**
 * Exact decimal numbers of at least zero, as text such as `0.0123`: no exponent, no rounding. Inside they are whole units
 * of the last place.
 */

/** The decimal places of a unit. */
export const decimalPlaces = 24
/** The digits before the point that are accepted; sums may have more. */
const digitsMax = 15

/** What `readUnits` reads. */
export const decimalPattern = `^(?:0|[1-9][0-9]{0,${digitsMax - 1}})(?:\\.[0-9]{1,${decimalPlaces}})?$`
const decimal = new RegExp(decimalPattern)

/** The number in units of 10^-24; undefined for what is not such a number. */
export const readUnits = (text: string): bigint | undefined => (decimal.test(text) ? unitsOf(text) : undefined)

/** The same of the text of a number. */
export function unitsOf(text: string): bigint {
  const [whole, fraction = ''] = text.split('.')
  return BigInt(`${whole}${fraction.padEnd(decimalPlaces, '0')}`)
}

/** The shortest text of so many units. */
export function decimalOf(units: bigint): string {
  const digits = units.toString().padStart(decimalPlaces + 1, '0')
  const fraction = digits.slice(-decimalPlaces).replace(/0+$/, '')
  return `${digits.slice(0, -decimalPlaces)}${fraction === '' ? '' : `.${fraction}`}`
}
