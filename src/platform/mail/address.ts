/** E-mail addresses that can be used as recipients. */

/**
 * `local@host` without quotes, comments, lists or anything else that a mail server could interpret: the text is always one
 * recipient. Letters of all scripts are accepted.
 */
const plain = /^[^\s\p{C}\p{Z}@<>()[\]\\,;:"]{1,64}@[^\s\p{C}\p{Z}@<>()[\]\\,;:"']{1,253}$/u

/** Whether mail can be sent to this address. */
export const isMailable = (address: string): boolean => plain.test(address)

export interface Sender {
  /** The display name; empty for the address alone. */
  name: string
  address: string
}

const named = /^(?<name>[^<>@\p{C}"]{1,100}) <(?<address>[^<>]+)>$/u

/** Parses `Name <address>` or an address alone; undefined for anything else. */
export function senderIn(text: string): Sender | undefined {
  const { name = '', address = text } = named.exec(text)?.groups ?? {}
  return isMailable(address) ? { name: name.trim(), address } : undefined
}

/** `no-reply@` and the console's host. */
export function defaultSender(consoleUrl: string): Sender {
  const { hostname } = new URL(consoleUrl)
  const isName = /[a-z]/i.test(hostname) && !hostname.startsWith('[')
  return { name: 'Troupe', address: `no-reply@${isName ? hostname : 'localhost'}` }
}
