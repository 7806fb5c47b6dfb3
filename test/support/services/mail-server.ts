/**
 * A real mail server on a free local port. It keeps the mails it receives, and misbehaves on demand.
 *
 *     const post = await MailServer.open()
 *     const troupe = await openTroupe({ environment: { TROUPE_SMTP_URL: post.url } })
 *     const { token } = await post.next('ada@example.com')
 */
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { eventually } from '../process.ts'

export interface Received {
  /** The recipients of the envelope. */
  recipients: string[]
  sender: string
  /** The message with its text decoded. */
  raw: string
  /** The headers of the message, unfolded. */
  head: string
  subject: string
  /** The token of the first link; empty without one. */
  link: string
  token: string
}

/**
 * How the server responds: accepts the mail, accepts it and reports a failure, rejects the recipient permanently, asks
 * for a retry, or stays silent.
 */
type Manner = 'takes' | 'denies' | 'refuses' | 'postpones' | 'hangs'

const decoded = (quoted: string): string =>
  quoted
    .replace(/=\r?\n/g, '')
    .replace(/(?:=[0-9A-F]{2})+/g, (bytes) => Buffer.from(bytes.replaceAll('=', ''), 'hex').toString())

function read(text: string, recipients: string[], sender: string): Received {
  const end = text.search(/\r?\n\r?\n/)
  const head = text.slice(0, end).replace(/\r?\n[ \t]+/g, ' ')
  const raw = `${head}${decoded(text.slice(end))}`
  const link = /https?:\/\/[^\s"<]+\?token=[\w-]+/.exec(raw)?.[0] ?? ''
  const subject = /^Subject: (.*)$/im.exec(head)?.[1]?.trim() ?? ''
  return {
    recipients,
    sender,
    raw,
    head,
    subject,
    link,
    token: new URL(link || 'http://x').searchParams.get('token') ?? '',
  }
}

export class MailServer {
  readonly received: Received[] = []
  /** Recipients of every attempt, accepted or not. */
  readonly attempts: string[] = []
  manner: Manner = 'takes'
  readonly #hanging = new Set<() => void>()
  #server: SMTPServer | undefined
  #port = 0
  #read = 0

  private constructor(private readonly account: { user: string; password: string } | undefined) {}

  static async open(account?: { user: string; password: string }): Promise<MailServer> {
    const server = new MailServer(account)
    await server.start()
    return server
  }

  /** `smtp://…` */
  get url(): string {
    const { account } = this
    const login = account ? `${encodeURIComponent(account.user)}:${encodeURIComponent(account.password)}@` : ''
    return `smtp://${login}127.0.0.1:${this.#port}`
  }

  /** Listens, on its previous port if it had one. */
  async start(): Promise<void> {
    const { account } = this
    const server = new SMTPServer({
      disabledCommands: account ? ['STARTTLS'] : ['STARTTLS', 'AUTH'],
      authOptional: account === undefined,
      allowInsecureAuth: true,
      disableReverseLookup: true,
      onAuth: ({ username, password }, _, done) =>
        username === account?.user && password === account?.password
          ? done(null, { user: username })
          : done(new Error('wrong')),
      onRcptTo: ({ address }, _, done) => {
        this.attempts.push(address)
        if (this.manner === 'hangs') this.#hanging.add(() => done())
        else if (this.manner === 'takes' || this.manner === 'denies') done()
        else done(Object.assign(new Error('not now'), { responseCode: this.manner === 'refuses' ? 550 : 451 }))
      },
      onData: (stream, { envelope }, done) => {
        const chunks: Buffer[] = []
        stream.on('data', (chunk: Buffer) => chunks.push(chunk))
        stream.on('end', () => {
          const recipients = envelope.rcptTo.map(({ address }) => address)
          const sender = envelope.mailFrom === false ? '' : envelope.mailFrom.address
          this.received.push(read(Buffer.concat(chunks).toString(), recipients, sender))
          done(this.manner === 'denies' ? Object.assign(new Error('busy'), { responseCode: 451 }) : undefined)
        })
      },
    })
    server.on('error', () => {})
    await new Promise<void>((listening) => server.listen(this.#port, '127.0.0.1', listening))
    this.#port = (server.server.address() as AddressInfo).port
    this.#server = server
  }

  /** Stops accepting connections. */
  async stop(): Promise<void> {
    for (const release of this.#hanging) release()
    this.#hanging.clear()
    await new Promise<void>((closed) => (this.#server ? this.#server.close(closed) : closed()))
    this.#server = undefined
  }

  /** The next unread mail; to this address, if given. */
  async next(to?: string): Promise<Received> {
    const mail = await eventually(`a mail to ${to ?? 'anybody'}`, () => this.received[this.#read])
    this.#read += 1
    if (to !== undefined && mail.recipients.join() !== to) throw new Error(`a mail to ${mail.recipients.join()}`)
    return mail
  }

  /** The unread mails. */
  get unread(): number {
    return this.received.length - this.#read
  }
}
