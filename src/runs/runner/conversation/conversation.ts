/**
 * The conversation of one agent: messages, open tool calls, and whether it contains the chain's input. Source: contract
 * 5, "A run's input is applied once per attempt chain".
 */
import type { AssistantModelMessage, ModelMessage } from 'ai'
import type { StopReason } from '../../../../machines/run.ts'
import type { CallOutcome, OpenCall, RunInput, StoredConversation } from '../protocol/protocol.ts'
import { sound } from '../protocol/sound.ts'
import { CallIds } from './call-ids.ts'
import { refusal, toolMessage, userMessage } from './messages.ts'
import { conversationBytesMax, textBytes } from './size.ts'

/** The initial state of a conversation. */
interface ConversationStart {
  resume: StoredConversation | null
  /** Whether the checkpoint is of the current chain and so contains its input. */
  sameChain: boolean
  input: RunInput
  /** The call that a delegate's conversation answers; null for the run's own. */
  answers: string | null
}

export class Conversation {
  /** Replaced, never mutated: checkpoints and requests keep earlier arrays. */
  #messages: ModelMessage[]
  /** The size of the messages. */
  #bytes: number
  #openCalls: OpenCall[]
  #input: RunInput | null
  #saved: ModelMessage[] | null
  #stepCount: number
  #callIds: { before: ModelMessage[]; ids: CallIds } | undefined
  readonly #answers: string | null

  constructor({ resume, sameChain, input, answers }: ConversationStart) {
    this.#messages = resume?.messages ?? []
    this.#bytes = textBytes(this.#messages)
    this.#openCalls = resume?.pendingToolCalls ?? []
    this.#input = sameChain || isEmpty(input) ? null : input
    this.#saved = resume ? this.#messages : null
    this.#stepCount = resume && sameChain ? resume.stepCount : 0
    this.#answers = answers
  }

  get messages(): ModelMessage[] {
    return this.#messages
  }

  /** Calls without a result, in the model's order. */
  get openCalls(): readonly OpenCall[] {
    return this.#openCalls
  }

  /** The number of model steps in this chain. */
  get stepCount(): number {
    return this.#stepCount
  }

  /** The chain's input until it is added to the messages. */
  get unappliedInput(): RunInput | null {
    return this.#input
  }

  /** Whether there are messages outside the last checkpoint. */
  get unsaved(): boolean {
    return this.#messages !== this.#saved
  }

  /** Whether the conversation is too large to go on. */
  get isFull(): boolean {
    return this.#bytes > conversationBytesMax
  }

  /** The stop reason, if the conversation ends with an answer and has no open calls. */
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

  /** Adds the chain's input to the messages. Open calls must be closed before. */
  applyInput(): void {
    if (!this.#input) return
    this.#add(userMessage(this.#input))
    this.#input = null
  }

  /** The ids of the calls of the next answer. */
  get callIds(): CallIds {
    const before = this.#messages
    if (this.#callIds?.before !== before) this.#callIds = { before, ids: new CallIds(before, this.#answers) }
    return this.#callIds.ids
  }

  /** Adds the message of a finished step and returns its calls. */
  reply(message: AssistantModelMessage, stopReason: StopReason | null): readonly OpenCall[] {
    const { reply, calls } = withOwnCallIds(sound(message), this.callIds)
    this.#add(stopReason && stopReason !== 'end_turn' ? marked(reply, stopReason) : reply)
    this.#openCalls = calls
    this.#stepCount += 1
    return calls
  }

  /** Adds the partial text of an interrupted step. */
  replyInPart(text: string): void {
    if (text !== '') this.#add({ role: 'assistant', content: sound(text) })
  }

  /** Adds an unusable answer, truncated, with feedback for the model. */
  refuse(answer: string, problem: string): void {
    this.#add(...refusal(sound(answer), sound(problem)))
  }

  /** Adds the outcome of an open call. */
  answer(call: OpenCall, outcome: CallOutcome): void {
    this.#add(toolMessage(call, sound(outcome)))
    this.#openCalls = this.#openCalls.filter(({ toolCallId }) => toolCallId !== call.toolCallId)
  }

  /** The conversation to store; marks it as saved. */
  store(): StoredConversation {
    this.#saved = this.#messages
    return { messages: this.#messages, stepCount: this.#stepCount, pendingToolCalls: this.#openCalls }
  }

  #add(...messages: ModelMessage[]): void {
    this.#messages = [...this.#messages, ...messages]
    this.#bytes += textBytes(messages)
  }
}

const isEmpty = ({ query, contents }: RunInput) => (query === null || query === '') && contents.length === 0

/** The key of a message's metadata that stores why it was truncated. */
const markKey = 'troupe'
const markName = 'stopReason'
const marked = (message: AssistantModelMessage, stopReason: StopReason): AssistantModelMessage => ({
  ...message,
  providerOptions: { ...message.providerOptions, [markKey]: { [markName]: stopReason } },
})

/** The message with unique ids of its calls, because results are stored and looked up by id. */
function withOwnCallIds(message: AssistantModelMessage, ids: CallIds) {
  const calls: OpenCall[] = []
  if (typeof message.content === 'string' || !makesCalls(message)) return { reply: message, calls }
  const content = message.content.map((part) => {
    if (!isCall(part)) return part
    const toolCallId = ids.take(part.toolCallId)
    calls.push({ toolCallId, toolName: part.toolName, input: part.input })
    return toolCallId === part.toolCallId ? part : { ...part, toolCallId }
  })
  return { reply: { ...message, content }, calls }
}

/** Whether a message has calls that need a result. */
export const makesCalls = ({ content }: AssistantModelMessage) => typeof content !== 'string' && content.some(isCall)

type Part = Exclude<AssistantModelMessage['content'], string>[number]
/** A call that Troupe must answer; vendors answer those that they execute. */
const isCall = (part: Part): part is Extract<Part, { type: 'tool-call' }> =>
  part.type === 'tool-call' && part.providerExecuted !== true
