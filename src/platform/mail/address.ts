/** Addresses that mail can be sent to. */

/**
 * `local@host` without quotes, comments, lists or anything else that a mail server could read in another way: the text is
 * one recipient, wherever it stands. Letters of all scripts are fine.
 */
const plain = /^[^\s\p{C}\p{Z}@<>()[\]\\,;:"]{1,64}@[^\s\p{C}\p{Z}@<>()[\]\\,;:"']{1,253}$/u

/** Whether mail can be sent to this address as it stands. */
export const isMailable = (address: string): boolean => plain.test(address)

export interface Sender {
  /** What a reader is shown; empty for the address alone. */
  name: string
  address: string
}

const named = /^(?<name>[^<>@\p{C}"]{1,100}) <(?<address>[^<>]+)>$/u

/** The sender in `Name <address>`, or in an address alone; undefined when it is neither. */
export function senderIn(text: string): Sender | undefined {
  const { name = '', address = text } = named.exec(text)?.groups ?? {}
  return isMailable(address) ? { name: name.trim(), address } : undefined
}

/** `no-reply@` and the host where the console is. */
export function defaultSender(consoleUrl: string): Sender {
  const { hostname } = new URL(consoleUrl)
  const isName = /[a-z]/i.test(hostname) && !hostname.startsWith('[')
  return { name: 'Troupe', address: `no-reply@${isName ? hostname : 'localhost'}` }
}
