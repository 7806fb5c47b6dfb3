/**
 * Undoes the escapes of JSON, URLs and HTML in bytes, and keeps the place of each byte. Encoders differ in what they
 * escape.
 */

/** Bytes, and the place of each in the original bytes, then the end of these; without places: the original bytes. */
export interface PlacedBytes {
  bytes: Buffer
  places?: Int32Array
}

const percent = 0x25
const ampersand = 0x26
const backslash = 0x5c

/** The bytes with each escape replaced by what it stands for, in UTF-8; undefined without escapes. */
export function unescaped({ bytes, places }: PlacedBytes): PlacedBytes | undefined {
  if (![percent, ampersand, backslash].some((sign) => bytes.includes(sign))) return undefined
  const plain = Buffer.allocUnsafe(bytes.length)
  const origins = new Int32Array(bytes.length + 1)
  let length = 0
  const add = (byte: number, at: number) => {
    plain[length] = byte
    origins[length] = places ? (places[at] as number) : at
    length += 1
  }
  for (let at = 0; at < bytes.length; ) {
    const sign = bytes[at] as number
    const isEscape = sign === percent || sign === ampersand || sign === backslash
    const found = isEscape ? escapeAt(bytes, at) : undefined
    if (found) for (const byte of found.value) add(byte, at)
    else add(sign, at)
    at += found?.length ?? 1
  }
  if (length === bytes.length) return undefined
  origins[length] = places ? (places[bytes.length] as number) : bytes.length
  return { bytes: plain.subarray(0, length), places: origins.subarray(0, length + 1) }
}

interface Escape {
  /** Never longer than the escape. */
  value: readonly number[] | Buffer
  length: number
}

function escapeAt(bytes: Buffer, at: number): Escape | undefined {
  const sign = bytes[at]
  if (sign === backslash) return ofJson(bytes, at)
  if (sign === ampersand) return ofHtml(bytes, at)
  const byte = sign === percent ? hexAt(bytes, at + 1, 2) : undefined
  return byte === undefined ? undefined : { value: [byte], length: 3 }
}

const ofSign: ReadonlyMap<number, Escape> = new Map(
  ['""', '\\\\', '//', 'b\b', 'f\f', 'n\n', 'r\r', 't\t'].map((pair): [number, Escape] => [
    pair.charCodeAt(0),
    { value: [pair.charCodeAt(1)], length: 2 },
  ]),
)
const u = 0x75

function ofJson(bytes: Buffer, at: number): Escape | undefined {
  const sign = bytes[at + 1] as number
  if (sign !== u) return ofSign.get(sign)
  const unit = hexAt(bytes, at + 2, 4)
  if (unit === undefined) return undefined
  const isPair = bytes.toString('latin1', at + 6, at + 8) === '\\u'
  const text = String.fromCharCode(unit, ...(isPair ? [hexAt(bytes, at + 8, 4) ?? 0] : []))
  const point = text.codePointAt(0) as number
  return { value: Buffer.from(String.fromCodePoint(point)), length: point > 0xffff ? 12 : 6 }
}

const entity = /^&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|lt|gt|quot|apos));/i
const ofName: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
const pointMax = 0x10ffff

function ofHtml(bytes: Buffer, at: number): Escape | undefined {
  const [whole, decimal, hex, name] = entity.exec(bytes.toString('latin1', at, at + 11)) ?? []
  if (whole === undefined) return undefined
  if (name !== undefined) return { value: Buffer.from(ofName[name.toLowerCase()] as string), length: whole.length }
  const point = decimal === undefined ? Number.parseInt(hex as string, 16) : Number(decimal)
  return point > pointMax ? undefined : { value: Buffer.from(String.fromCodePoint(point)), length: whole.length }
}

const isHex = /^[\da-f]+$/i

function hexAt(bytes: Buffer, at: number, digits: number): number | undefined {
  const text = bytes.toString('latin1', at, at + digits)
  return text.length === digits && isHex.test(text) ? Number.parseInt(text, 16) : undefined
}
