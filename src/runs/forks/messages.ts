/**
 * The conversation that a client gives a fork: well-formed messages whose calls have results, except for those of the
 * last message, which the fork makes. Source: contract 14, "Fork".
 */
import type { ModelMessage } from 'ai'
import { type Issue, invalid } from '../../platform/http/answers/errors.ts'
import type { OpenCall, RuntimeCheckpoint } from '../runner/protocol/protocol.ts'
import type { ConversationMessage } from './schema.ts'

const issuesMax = 20

type Part = Exclude<ConversationMessage['content'], string>[number]

/** The state that begins with these messages. Throws 422; `isAnswered`: a message of the user follows. */
export function stateOf(messages: readonly ConversationMessage[], isAnswered: boolean): RuntimeCheckpoint {
  const issues: Issue[] = []
  const seen = new Set<string>()
  const open = new Map<string, OpenCall>()
  for (const [index, { role, content }] of messages.entries()) {
    const at = `/body/messages/${index}`
    const [waiting] = open.keys()
    if (role !== 'tool' && waiting !== undefined) {
      issues.push({ path: at, message: `The call ${waiting} has no result: a message of the tool must come first.` })
      open.clear()
    }
    if (role === 'user' && content === '') issues.push({ path: `${at}/content`, message: 'Must not be empty.' })
    if (typeof content === 'string') continue
    for (const [place, part] of content.entries()) {
      const fault = faultOf(part, seen, open)
      if (fault) issues.push({ path: `${at}/content/${place}${fault.path}`, message: fault.message })
    }
  }
  if (!isAnswered && open.size === 0 && messages.at(-1)?.role === 'assistant') {
    const message = 'The last message is an answer: give a query, or end with a message of the user.'
    issues.push({ path: `/body/messages/${messages.length - 1}`, message })
  }
  if (issues.length > 0) throw invalid(issues.slice(0, issuesMax))
  return {
    version: 1,
    messages: messages as unknown as ModelMessage[],
    stepCount: 0,
    pendingToolCalls: [...open.values()],
    chain: 1,
  }
}

/** What is wrong with a part, if anything; `open` has the calls without a result, `seen` the ids of all calls. */
function faultOf(part: Part, seen: Set<string>, open: Map<string, OpenCall>): Issue | undefined {
  switch (part.type) {
    case 'image':
      return isBase64(part.image) ? undefined : notBase64('/image')
    case 'file':
      return isBase64(part.data) ? undefined : notBase64('/data')
    case 'tool-call': {
      const { toolCallId, toolName, input } = part
      if (seen.has(toolCallId)) return { path: '/toolCallId', message: 'Must not be the id of an earlier call.' }
      seen.add(toolCallId)
      open.set(toolCallId, { toolCallId, toolName, input })
      return undefined
    }
    case 'tool-result': {
      const called = open.get(part.toolCallId)
      if (!called) return { path: '/toolCallId', message: 'Must be a call of the message before, without a result.' }
      if (called.toolName !== part.toolName)
        return { path: '/toolName', message: `Must be ${called.toolName}, as called.` }
      open.delete(part.toolCallId)
      const { output } = part
      const files = output.type === 'content' ? output.value : []
      const broken = files.findIndex((file) => file.type === 'image-data' && !isBase64(file.data))
      return broken === -1 ? undefined : notBase64(`/output/value/${broken}/data`)
    }
    default:
      return undefined
  }
}

const notBase64 = (path: string): Issue => ({ path, message: 'Must be base64: files are part of the message.' })

const base64 = /^[A-Za-z0-9+/]+={0,2}$/
const isBase64 = (text: string) => text.length % 4 === 0 && base64.test(text)
