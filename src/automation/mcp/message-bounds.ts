/**
 * Bounds the messages of a server before anything parses them: their nesting, which would exhaust the stack, and their
 * number. Source: contract 11, "MCP servers as tools"; trust 2.2.
 */

/** Nesting that neither clients nor this server support. */
const depthMax = 128
/** The most messages of a session: a server may report progress. */
const messagesMax = 10_000

const [newline, carriageReturn, quote, backslash] = [10, 13, 0x22, 0x5c]
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d]
const dataField = Buffer.from('data:')
const byteOrderMark = new Set([0xef, 0xbb, 0xbf])

/** The count of messages of a session, in all its answers. */
export interface MessageCount {
  messages: number
}

/** Reads the bytes of one answer: JSON, or events with JSON as their data. */
export class MessageBounds {
  #depth = 0
  #isInText = false
  #isEscaped = false
  /** Whether the message is a list of messages. */
  #isList = false
  #column = 0
  #isData = true
  #isAfterReturn = false

  constructor(
    private readonly isEventStream: boolean,
    private readonly count: MessageCount,
  ) {}

  /** The fault of the answer up to the end of these bytes. */
  read(bytes: Uint8Array): string | undefined {
    for (const byte of bytes) {
      if (byte === newline || byte === carriageReturn) this.#endLine(byte)
      else if (this.#isOfMessage(byte)) this.#add(byte)
      if (this.#depth > depthMax) return `An answer is nested more than ${depthMax} levels deep.`
    }
    if (this.count.messages <= messagesMax) return undefined
    return `The server sent more than ${messagesMax.toLocaleString('en')} messages.`
  }

  /** A text of JSON ends with its line; an event ends with an empty one. */
  #endLine(byte: number) {
    const isSecondHalf = byte === newline && this.#isAfterReturn
    this.#isAfterReturn = byte === carriageReturn
    if (isSecondHalf) return
    if (this.isEventStream && this.#column === 0) this.#depth = 0
    this.#isInText = false
    this.#isEscaped = false
    this.#column = 0
    this.#isData = true
  }

  #isOfMessage(byte: number): boolean {
    this.#isAfterReturn = false
    if (!this.isEventStream) return true
    if (this.#column === dataField.length) return this.#isData
    // may precede the first field
    if (this.#column === 0 && byteOrderMark.has(byte)) return false
    if (byte !== dataField[this.#column]) this.#isData = false
    this.#column += 1
    return false
  }

  #add(byte: number) {
    if (this.#isInText) {
      if (this.#isEscaped) this.#isEscaped = false
      else if (byte === backslash) this.#isEscaped = true
      else if (byte === quote) this.#isInText = false
    } else if (byte === quote) this.#isInText = true
    else if (byte === openList || byte === openObject) this.#open(byte)
    else if (byte === closeList || byte === closeObject) this.#depth -= 1
  }

  #open(byte: number) {
    if (this.#depth === 0) this.#isList = byte === openList
    const isMessage = this.#depth === 0 || (this.#depth === 1 && this.#isList)
    if (byte === openObject && isMessage) this.count.messages += 1
    this.#depth += 1
  }
}
