/** The ids of tool calls. Each id is unique within the run, across agents, because results are looked up by it. */
import { createHash } from 'node:crypto'
import type { ModelMessage } from 'ai'
import { sound } from '../protocol/sound.ts'

/** Less than the server's limit of 200, with room for a number. */
const callIdCharactersMax = 190

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const characters = 9

/**
 * The id of a delegate's call: the `ordinal`-th in the conversation that answers a call. Vendors repeat ids between
 * conversations. All vendors accept nine letters and digits.
 */
function delegateCallId(answers: string, ordinal: number): string {
  let number = createHash('sha256').update(`${answers}\n${ordinal}`).digest().readBigUInt64BE()
  let id = ''
  for (let place = 0; place < characters; place++) {
    id += alphabet[Number(number % 62n)]
    number /= 62n
  }
  return id
}

/**
 * The ids of the calls of one answer, for its streamed inputs and its message alike. Some vendors restart their numbering
 * in each answer: a repeated id is replaced. Calls of delegates get their own ids for the same reason.
 */
export class CallIds {
  /** Those of the conversation and of this answer. */
  readonly #taken: Set<string>
  /** By the vendor's id, until the message has the call. */
  readonly #given = new Map<string, string>()

  /** `answers`: the call that a delegate's conversation answers; null for the run's own. */
  constructor(
    before: readonly ModelMessage[],
    private readonly answers: string | null,
  ) {
    this.#taken = new Set(before.flatMap(callIdsIn))
  }

  /** The id of the call with a streamed input. */
  of(vendorId: string): string {
    const called = sound(vendorId)
    const known = this.#given.get(called)
    if (known !== undefined) return known
    const { answers } = this
    const given =
      answers === null
        ? sound(called.slice(0, callIdCharactersMax)) || 'call'
        : delegateCallId(answers, this.#taken.size)
    let id = given
    for (let count = 2; this.#taken.has(id); count++) id = `${given}_${count}`
    this.#taken.add(id)
    this.#given.set(called, id)
    return id
  }

  /** The id of the next call of the message: each gets its own, also if the vendor repeats an id in one answer. */
  take(vendorId: string): string {
    const id = this.of(vendorId)
    this.#given.delete(sound(vendorId))
    return id
  }
}

const callIdsIn = ({ role, content }: ModelMessage): string[] =>
  role !== 'assistant' || typeof content === 'string'
    ? []
    : content.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : []))
