/**
 * The rules for new passwords: 8 to 128 characters, not a common password, not the account's address. Used wherever a password
 * is set. Source: contract 1, "Session"; NIST SP 800-63B, 5.1.1.2.
 */
import { invalid } from '../../platform/http/answers/errors.ts'

export const passwordLengthMin = 8
export const passwordLengthMax = 128

/** The longest entry in the list of common passwords. */
const commonLengthMax = 24

let common: Promise<string> | undefined

/**
 * The common passwords in lower case, as JSON text: the list of zxcvbn, which has more than 10,000 entries. Loaded when the
 * first password is set and searched as text: parsing it would block the event loop and take ten times the memory.
 */
function commonPasswords(): Promise<string> {
  common ??= import('@zxcvbn-ts/language-common/src/passwords.json', { with: { type: 'text' } }).then(
    (file) => file.default as unknown as string,
    (error: unknown) => {
      common = undefined
      throw error
    },
  )
  return common
}

/** One to four characters repeated: `88888888`, `12121212`, `asdfasdf`. The list does not include all of these. */
const repeated = /^(.{1,4}?)\1+$/su

/** Consecutive digits, ascending or descending: `23456789`, `0987654321`. The list does not include all of these. */
function isRow(text: string): boolean {
  if (!/^\d+$/.test(text)) return false
  const steps = new Set([...text].slice(1).map((digit, index) => (Number(digit) - Number(text[index]) + 10) % 10))
  return steps.size === 1 && (steps.has(1) || steps.has(9))
}

async function isCommon(password: string): Promise<boolean> {
  const text = password.toLowerCase()
  if (text.length > commonLengthMax) return false
  return repeated.test(text) || isRow(text) || (await commonPasswords()).includes(JSON.stringify(text))
}

/** Whether the length is within the bounds, in characters. */
export function hasPasswordLength(password: string): boolean {
  // a character is one or two UTF-16 units
  if (password.length < passwordLengthMin || password.length > passwordLengthMax * 2) return false
  const { length } = [...password]
  return length >= passwordLengthMin && length <= passwordLengthMax
}

export const lengthRule = `Must have ${passwordLengthMin} to ${passwordLengthMax} characters.`

/** The problem of a new password for the account of this address, as a sentence; undefined if there is none. */
export async function problemOfPassword(password: string, email: string): Promise<string | undefined> {
  if (!hasPasswordLength(password)) return lengthRule
  const address = email.trim().toLowerCase()
  const text = password.trim().toLowerCase()
  if (text === address || text === address.split('@')[0])
    return 'Must not be the email address or its part before the @.'
  if (await isCommon(password)) {
    return 'Is one of the most common passwords, which attackers try first; choose another one.'
  }
  return undefined
}

/** Throws `validation_failed` (422) with the problem at `path`, such as `/body/password`. */
export async function assertGoodPassword(password: string, email: string, path: string): Promise<void> {
  const message = await problemOfPassword(password, email)
  if (message !== undefined) throw invalid([{ path, message }])
}
