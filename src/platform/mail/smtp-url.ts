/** `smtp://user:password@host:587`, or `smtps://…` for a connection that is encrypted from the beginning. */
interface MailServer {
  host: string
  port: number
  /** TLS from the beginning; otherwise STARTTLS if the server offers it. */
  secure: boolean
  /** Requires TLS before anything is sent, so that a password is never sent in the clear. */
  requireTLS: boolean
  auth?: { user: string; pass: string }
  /** Present for this host, whose mail server usually has a certificate that it signed itself. */
  tls?: { rejectUnauthorized: false }
}

const loopback = /^(?:localhost|127\.\d+\.\d+\.\d+|::1)$/

/** Parses the URL of a mail server; undefined if it is invalid. */
export function mailServerIn(text: string): MailServer | undefined {
  if (!URL.canParse(text)) return undefined
  const { protocol, hostname, port, username, password, search, hash } = new URL(text)
  const secure = protocol === 'smtps:'
  const host = hostname.replace(/^\[|\]$/g, '')
  if ((!secure && protocol !== 'smtp:') || host === '' || search !== '' || hash !== '') return undefined
  const isHere = loopback.test(host)
  const server = {
    host,
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    ...(isHere && { tls: { rejectUnauthorized: false as const } }),
  }
  if (username === '') return { ...server, requireTLS: false }
  try {
    const auth = { user: decodeURIComponent(username), pass: decodeURIComponent(password) }
    return { ...server, requireTLS: !secure && !isHere, auth }
  } catch {
    // an invalid escape
    return undefined
  }
}
