/**
 * The conversation of one agent as an attempt carries it on: messages, open tool calls, and whether the chain's input is
 * in it. Source: contract 5, "A run's input is applied once per attempt chain".
 */
import type { AssistantModelMessage, ModelMessage, ToolModelMessage } from 'ai'
import type { StopReason } from '../../../../machines/run.ts'
import type { CallOutcome, OpenCall, RunInput, StoredConversation } from '../protocol/protocol.ts'
import { callIdCharactersMax, delegateCallId } from './call-ids.ts'
import { refusal, toolMessage, userMessage } from './messages.ts'

/** What a conversation begins with, or goes on from. */
export interface ConversationStart {
  resume: StoredConversation | null
  /** Whether what it goes on from is of the present chain, so that the input is in it. */
  sameChain: boolean
  input: RunInput
  /** The call that a delegate's conversation is to answer; null: it is the run's own. */
  answers: string | null
}

export class Conversation {
  /** Replaced, never changed in place: checkpoints and requests that hold an earlier array stay as they are. */
  #messages: ModelMessage[]
  #openCalls: OpenCall[]
  #input: RunInput | null
  #saved: ModelMessage[] | null
  #stepCount: number
  readonly #answers: string | null

  constructor({ resume, sameChain, input, answers }: ConversationStart) {
    this.#messages = resume?.messages ?? []
    this.#openCalls = resume?.pendingToolCalls ?? []
    this.#input = sameChain || isEmpty(input) ? null : input
    this.#saved = resume ? this.#messages : null
    this.#stepCount = resume && sameChain ? resume.stepCount : 0
    this.#answers = answers
  }

  get messages(): ModelMessage[] {
    return this.#messages
  }

  /** Calls that have no result yet, in the order in which the model made them. */
  get openCalls(): readonly OpenCall[] {
    return this.#openCalls
  }

  /** Model steps of this chain so far. */
  get stepCount(): number {
    return this.#stepCount
  }

  /** The chain's input, as long as it isn't in the messages. */
  get unappliedInput(): RunInput | null {
    return this.#input
  }

  /** Whether there are messages that no checkpoint holds. */
  get unsaved(): boolean {
    return this.#messages !== this.#saved
  }

  /** Why the conversation has come to its end, if it has: its last word is an answer, and nothing is open. */
  get stopReason(): StopReason | null {
    const last = this.#messages.at(-1)
    if (last?.role !== 'assistant' || this.#openCalls.length > 0 || this.#input) return null
    return (last.providerOptions?.[markKey]?.[markName] as StopReason | undefined) ?? 'end_turn'
  }

  /** The text of the model's last message. */
  get lastAnswer(): string {
    const last = this.#messages.findLast((message): message is AssistantModelMessage => message.role === 'assistant')
    if (!last) return ''
    if (typeof last.content === 'string') return last.content
    return last.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
  }

  /** Puts the chain's input into the messages. Open calls are to be closed before. */
  applyInput(): void {
    if (!this.#input) return
    this.#messages = [...this.#messages, userMessage(this.#input)]
    this.#input = null
  }

  /** Takes up what the model said in a whole step, and the calls that it made. */
  reply(message: AssistantModelMessage, stopReason: StopReason | null): readonly OpenCall[] {
    const { reply, calls } = withOwnCallIds(message, this.#messages, this.#answers)
    this.#messages = [...this.#messages, stopReason && stopReason !== 'end_turn' ? marked(reply, stopReason) : reply]
    this.#openCalls = calls
    this.#stepCount += 1
    return calls
  }

  /** Takes up what the model had said when it was interrupted. */
  replyInPart(text: string): void {
    if (text !== '') this.#messages = [...this.#messages, { role: 'assistant', content: text }]
  }

  /** Takes up an answer that cannot be used, cut to its beginning, and what the model is told about it. */
  refuse(answer: string, problem: string): void {
    this.#messages = [...this.#messages, ...refusal(answer, problem)]
  }

  /** Closes an open call with how it ended. */
  answer(call: OpenCall, outcome: CallOutcome): void {
    const message: ToolModelMessage = toolMessage(call, outcome)
    this.#messages = [...this.#messages, message]
    this.#openCalls = this.#openCalls.filter(({ toolCallId }) => toolCallId !== call.toolCallId)
  }

  /** The conversation as it is to be stored; it counts as saved from here on. */
  store(): StoredConversation {
    this.#saved = this.#messages
    return { messages: this.#messages, stepCount: this.#stepCount, pendingToolCalls: this.#openCalls }
  }
}

const isEmpty = ({ query, contents }: RunInput) => (query === null || query === '') && contents.length === 0

/** Where a message keeps why it was cut short, so that an attempt that finds it knows. */
const markKey = 'troupe'
const markName = 'stopReason'
const marked = (message: AssistantModelMessage, stopReason: StopReason): AssistantModelMessage => ({
  ...message,
  providerOptions: { ...message.providerOptions, [markKey]: { [markName]: stopReason } },
})

/**
 * The calls of a message. Some vendors number the calls of each answer anew; a call whose id was used before gets one of
 * its own, since results are stored and found by the id. For the same reason the calls of delegates have ids apart.
 */
function withOwnCallIds(message: AssistantModelMessage, before: readonly ModelMessage[], answers: string | null) {
  const calls: OpenCall[] = []
  if (typeof message.content === 'string' || !makesCalls(message)) return { reply: message, calls }
  const taken = new Set<string>()
  for (const earlier of before) {
    if (earlier.role !== 'assistant' || typeof earlier.content === 'string') continue
    for (const part of earlier.content) if (part.type === 'tool-call') taken.add(part.toolCallId)
  }
  const content = message.content.map((part) => {
    if (!isCall(part)) return part
    const given =
      answers === null ? part.toolCallId.slice(0, callIdCharactersMax) || 'call' : delegateCallId(answers, taken.size)
    let toolCallId = given
    for (let count = 2; taken.has(toolCallId); count++) toolCallId = `${given}_${count}`
    taken.add(toolCallId)
    calls.push({ toolCallId, toolName: part.toolName, input: part.input })
    return toolCallId === part.toolCallId ? part : { ...part, toolCallId }
  })
  return { reply: { ...message, content }, calls }
}

/** Whether there are calls in a message that somebody has to answer. */
export const makesCalls = ({ content }: AssistantModelMessage) => typeof content !== 'string' && content.some(isCall)

type Part = Exclude<AssistantModelMessage['content'], string>[number]
/** A call that is ours to answer; what the vendor executes it answers itself. */
const isCall = (part: Part): part is Extract<Part, { type: 'tool-call' }> =>
  part.type === 'tool-call' && part.providerExecuted !== true
