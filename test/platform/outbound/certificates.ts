/** Self-signed certificates, generated on demand without an external tool. Source: RFC 5280, section 4.1. */
import { createPublicKey, generateKeyPairSync, sign, X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'

const day = 86_400_000

const sequence = 0x30
const set = 0x31
const oid = 0x06
const text = 0x0c
const time = 0x17
const octets = 0x04

/** One DER value: its tag, its length and its content. */
function der(tag: number, ...parts: (Uint8Array | string)[]): Buffer {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part as Uint8Array)))
  const { length } = content
  const head = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...head]), content])
}

const hex = (digits: string) => Buffer.from(digits, 'hex')
const ecdsaWithSha256 = der(sequence, der(oid, hex('2a8648ce3d040302')))
const commonName = (name: string) => der(sequence, der(set, der(sequence, der(oid, hex('550403')), der(text, name))))
const utc = (at: number) => der(time, `${new Date(at).toISOString().replace(/[-:T]/g, '').slice(2, 14)}Z`)
const authority = der(sequence, der(oid, hex('551d13')), der(octets, der(sequence, der(0x01, hex('ff')))))
const alternative = (name: string) =>
  isIP(name) === 4 ? der(0x87, Buffer.from(name.split('.').map(Number))) : der(0x82, name)
const namesExtension = (names: string[]) =>
  der(sequence, der(oid, hex('551d11')), der(octets, der(sequence, ...names.map(alternative))))

/** A key and a self-signed certificate for the names or IPv4 addresses, valid for this many days. */
export function certificateFor(names: string[], days = 2): { key: string; cert: string } {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const now = Date.now()
  const toBeSigned = der(
    sequence,
    der(0xa0, der(0x02, hex('02'))),
    der(0x02, hex('01')),
    ecdsaWithSha256,
    commonName('test'),
    der(sequence, utc(now - 3 * day), utc(now + days * day)),
    commonName('test'),
    createPublicKey(privateKey).export({ type: 'spki', format: 'der' }),
    der(0xa3, der(sequence, authority, namesExtension(names))),
  )
  const signature = sign('sha256', toBeSigned, privateKey)
  const whole = der(sequence, toBeSigned, ecdsaWithSha256, der(0x03, hex('00'), signature))
  return {
    key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
    cert: new X509Certificate(whole).toString(),
  }
}
