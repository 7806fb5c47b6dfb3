/**
 * The operator's mail server. The only module that uses `nodemailer`, which is loaded with the first mail: it composes MIME,
 * speaks SMTP and encodes headers, so that text in a subject or a name cannot add a header.
 */
import type { Transporter } from 'nodemailer'
import type { Secret } from '../operating/secret.ts'
import type { Sender } from './address.ts'
import { mailServerIn } from './smtp-url.ts'

export interface Mail {
  /** One address that passes `isMailable`. */
  to: string
  subject: string
  text: string
  html: string
}

/** Sends mails: the mail server, or a test's. */
export interface Post {
  /**
   * Resolves when the mail server has accepted the mail. Rejects otherwise, with `MailRefused` if it never will. A repeated
   * mail has the same `id`, so that mail clients can recognize it.
   */
  send(mail: Mail, id: string): Promise<void>
}

/** The mail server refused the mail or its recipient permanently. */
export class MailRefused extends Error {
  override readonly name = 'MailRefused'
}

const connectMs = 10_000
/** Timeout without a byte from the mail server. */
const silenceMs = 20_000
/** Timeout of a whole mail, from the look-up of the server's address to its acceptance. */
const sendMsMax = 60_000

/** The error properties of nodemailer. */
interface SmtpError {
  code?: string
  responseCode?: number
}

/** Permanent refusals of recipient or message; a refused login is the operator's to fix, and the mail waits. */
const isFinal = ({ code, responseCode = 0 }: SmtpError): boolean =>
  responseCode >= 500 && (code === 'EENVELOPE' || code === 'EMESSAGE')

interface SmtpParts {
  url: Secret
  from(): Sender
  /** Omitted: 60 seconds. */
  sendMs?: number
}

export class Smtp implements Post {
  #transport: Promise<Transporter> | undefined

  constructor(private readonly parts: SmtpParts) {}

  async send({ to, subject, text, html }: Mail, id: string): Promise<void> {
    this.#transport ??= this.#open()
    const transport = await this.#transport
    const from = this.parts.from()
    // the recipient is given apart from the headers, not parsed from them
    const envelope = { from: from.address, to: [to] }
    const messageId = `<${id.replace(/[^\w-]/g, '.')}@${from.address.split('@').at(-1)}>`
    // the signal also closes the connection, so that a server that sends a byte from time to time does not hold it
    const signal = AbortSignal.timeout(this.parts.sendMs ?? sendMsMax)
    const mail = { from, to: { name: '', address: to }, envelope, messageId, subject, text, html, signal }
    try {
      await transport.sendMail(mail)
    } catch (error) {
      if (signal.aborted) throw new Error('The mail server did not answer in time.', { cause: error })
      const refused = error as SmtpError
      throw isFinal(refused)
        ? new MailRefused(`The mail server refused the mail (${refused.responseCode}).`, { cause: error })
        : error
    }
  }

  async #open(): Promise<Transporter> {
    const { createTransport } = await import('nodemailer')
    const server = mailServerIn(this.parts.url.reveal())
    if (!server) throw new Error('TROUPE_SMTP_URL is not a valid URL of a mail server.')
    return createTransport({
      ...server,
      connectionTimeout: connectMs,
      greetingTimeout: connectMs,
      socketTimeout: silenceMs,
      // messages never include files or fetched content
      disableFileAccess: true,
      disableUrlAccess: true,
    })
  }
}
