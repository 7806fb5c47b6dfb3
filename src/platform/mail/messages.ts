/** The texts of mails, as plain text and as simple HTML. Names that tenants choose are escaped and kept on one line. */
import type { Mail } from './smtp.ts'

export interface Words {
  subject: string
  before: string[]
  link: { label: string; url: string }
  after: string[]
}

const nameCharactersMax = 80

/** A name on one line, without line breaks or bidirectional controls, and shortened. */
export function inLine(name: string): string {
  const characters = [...name.replace(/[\p{C}\p{Z}]+/gu, ' ').trim()]
  return characters.length > nameCharactersMax
    ? `${characters.slice(0, nameCharactersMax).join('')}…`
    : characters.join('')
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

const paragraphs = (lines: readonly string[]): string[] => lines.map((line) => `<p>${escaped(line)}</p>`)

export const mail = (to: string, { subject, before, link, after }: Words): Mail => ({
  to,
  subject,
  text: `${[...before, link.url, ...after].join('\n\n')}\n`,
  html: [
    '<!doctype html><html lang="en"><body>',
    ...paragraphs(before),
    `<p><a href="${escaped(link.url)}">${escaped(link.label)}</a></p>`,
    ...paragraphs(after),
    '</body></html>',
  ].join('\n'),
})

/** The time to the minute. */
export const minuteOf = (at: number): string => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`

export interface Letter {
  to: string
  /** The console's origin. */
  consoleUrl: string
  token: string
  /** Epoch milliseconds. */
  expiresAt: number
}

const linkTo = ({ consoleUrl, token }: Letter, page: string): string => `${consoleUrl}/${page}?token=${token}`

/** Invites someone to an organization. */
export function invitationMail(letter: Letter, organization: string): Mail {
  const name = inLine(organization)
  return mail(letter.to, {
    subject: `Invitation to join ${name}`,
    before: [`You are invited to join the organization "${name}" at ${new URL(letter.consoleUrl).host}.`],
    link: { label: 'Accept the invitation', url: linkTo(letter, 'invitation') },
    after: [
      `The link works once, until ${minuteOf(letter.expiresAt)}. Anyone who has it can join in your place: do not share it.`,
      'If you do not want to join, ignore this mail.',
    ],
  })
}

/** Asks the user of an account to verify its address. */
export const verificationMail = (letter: Letter): Mail =>
  mail(letter.to, {
    subject: 'Verify your address',
    before: [`An account at ${new URL(letter.consoleUrl).host} has this address. If it is yours, verify the address.`],
    link: { label: 'Verify the address', url: linkTo(letter, 'verification') },
    after: [
      `The link works once, until ${minuteOf(letter.expiresAt)}, in a browser that is signed in to the account.`,
      'If you have no such account, ignore this mail: the address then stays unverified.',
    ],
  })

/** Lets the user of an account set another password. */
export const passwordResetMail = (letter: Letter): Mail =>
  mail(letter.to, {
    subject: 'Set a new password',
    before: [`Someone asked to reset the password of your account at ${new URL(letter.consoleUrl).host}.`],
    link: { label: 'Set a new password', url: linkTo(letter, 'password-reset') },
    after: [
      `The link works once, until ${minuteOf(letter.expiresAt)}. A new password ends all sessions of the account.`,
      'If this was not you, ignore this mail: your password stays the same.',
    ],
  })
