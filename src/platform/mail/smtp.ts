/**
 * The operator's mail server. This is the one place that knows `nodemailer`, which is loaded with the first mail: it
 * composes MIME, speaks SMTP and encodes headers, so that no text in a subject or a name can add another header.
 */
import type { Transporter } from 'nodemailer'
import type { Secret } from '../operating/secret.ts'
import type { Sender } from './address.ts'
import { mailServerIn } from './smtp-url.ts'

export interface Mail {
  /** One address, as `isMailable` has it. */
  to: string
  subject: string
  text: string
  html: string
}

/** What sends mails: the mail server, or a test's. */
export interface Post {
  /**
   * Resolves when the mail server has taken the mail. Rejects otherwise, with `MailRefused` when it never will. A mail that
   * is sent again, because nobody heard that it was taken, has the same `id`: readers can tell that they have it.
   */
  send(mail: Mail, id: string): Promise<void>
}

/** The mail server has refused the mail or its recipient for good. */
export class MailRefused extends Error {
  override readonly name = 'MailRefused'
}

const connectMs = 10_000
/** Without a byte from the mail server. */
const silenceMs = 20_000
/** Of one mail, all together. */
const sendMs = 60_000

/** What nodemailer says of an error. */
interface SmtpError {
  code?: string
  responseCode?: number
}

/** Refusals of recipient and message; a refused sign-in is for the operator to mend, and the mail waits. */
const isFinal = ({ code, responseCode = 0 }: SmtpError): boolean =>
  responseCode >= 500 && (code === 'EENVELOPE' || code === 'EMESSAGE')

export class Smtp implements Post {
  #transport: Promise<Transporter> | undefined

  constructor(private readonly parts: { url: Secret; from: () => Sender }) {}

  async send({ to, subject, text, html }: Mail, id: string): Promise<void> {
    this.#transport ??= this.#open()
    const transport = await this.#transport
    const from = this.parts.from()
    // who gets it is said apart from the headers, and read out of none
    const envelope = { from: from.address, to: [to] }
    const messageId = `<${id.replace(/[^\w-]/g, '.')}@${from.address.split('@').at(-1)}>`
    const mail = { from, to: { name: '', address: to }, envelope, messageId, subject, text, html }
    const sending = transport.sendMail(mail)
    try {
      await withinTime(sending)
    } catch (error) {
      const refused = error as SmtpError
      throw isFinal(refused)
        ? new MailRefused(`The mail server has refused the mail (${refused.responseCode}).`, { cause: error })
        : error
    }
  }

  async #open(): Promise<Transporter> {
    const { createTransport } = await import('nodemailer')
    const server = mailServerIn(this.parts.url.reveal())
    if (!server) throw new Error('TROUPE_SMTP_URL names no mail server.')
    return createTransport({
      ...server,
      connectionTimeout: connectMs,
      greetingTimeout: connectMs,
      socketTimeout: silenceMs,
      // nothing that is sent is read from files or fetched from elsewhere
      disableFileAccess: true,
      disableUrlAccess: true,
    })
  }
}

async function withinTime<Value>(work: Promise<Value>): Promise<Value> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error('The mail server takes too long.')), sendMs)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
