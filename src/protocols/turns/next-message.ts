/** The next message of a client that repeats the whole conversation with it. */
import { ApiError } from '../../platform/http/answers/errors.ts'
import type { KeyedContext } from '../../platform/http/changes/idempotency.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import type { ReachedAgent } from '../agents.ts'
import type { Message, Turn, Turns } from './turns.ts'

/** The conversation as found; undefined before its first message. */
type Conversation = { isOver: boolean } | undefined

interface Speaking {
  turns: Turns
  context: KeyedContext
  caller: Caller
  agent: ReachedAgent
  threadKey: string
}

/**
 * Begins the next turn. `messageFor` reads the request: where a run begins, with the messages before it as history.
 * Throws as it does, and as `Turns.say` does.
 */
export async function sayNext(
  { turns, context, caller, agent, threadKey }: Speaking,
  messageFor: (before: Conversation) => Message,
): Promise<Turn> {
  const say = (before: Conversation) => turns.say(context, caller, agent, messageFor(before), threadKey)
  const before = await turns.conversation(caller, agent, threadKey)
  try {
    return await say(before)
  } catch (error) {
    const begins = before === undefined || before.isOver
    if (!begins || !(error instanceof ApiError) || error.status !== 422) throw error
    // another request has begun the run at this moment, which has the history now
    const now = await turns.conversation(caller, agent, threadKey)
    if (now === undefined || now.isOver) throw error
    return say(now)
  }
}
