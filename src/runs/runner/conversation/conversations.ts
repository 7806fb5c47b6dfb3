/**
 * The conversations of an attempt: the run's own, and one for each delegate that is at work. They are stored together, so
 * that a checkpoint always tells of one moment. Source: contract 5, `latest`.
 */

import type { Assignment, OpenCall, RuntimeCheckpoint, StoredConversation } from '../protocol/protocol.ts'
import { Conversation } from './conversation.ts'

const noInput = { query: null, contents: [] }

export class Conversations {
  readonly own: Conversation
  /** By the call that each is to answer. */
  readonly #delegates = new Map<string, Conversation>()
  readonly #chain: number

  constructor({ resume, chain, input }: Pick<Assignment, 'resume' | 'chain' | 'input'>) {
    const sameChain = resume?.chain === chain
    this.#chain = chain
    this.own = new Conversation({ resume, sameChain, input, answers: null })
    for (const [answers, stored] of Object.entries(resume?.delegates ?? {})) {
      this.#delegates.set(answers, new Conversation({ resume: stored, sameChain, input: noInput, answers }))
    }
  }

  /** The conversation that is to answer a call of a delegate, if it has begun. */
  find(toolCallId: string): Conversation | undefined {
    return this.#delegates.get(toolCallId)
  }

  /** The conversation that is to answer a call of a delegate: taken up, or begun with the call's query. */
  answering({ toolCallId, input }: OpenCall): Conversation {
    const known = this.#delegates.get(toolCallId)
    if (known) return known
    const { query } = input as { query: string }
    const begun = new Conversation({
      resume: null,
      sameChain: false,
      input: { query, contents: [] },
      answers: toolCallId,
    })
    begun.applyInput()
    this.#delegates.set(toolCallId, begun)
    return begun
  }

  /** All of them as they are to be stored, but for those whose call has been answered: these are forgotten. */
  checkpoint(): RuntimeCheckpoint {
    const delegates = new Map<string, StoredConversation>()
    const own = this.own.store()
    const storeBelow = ({ openCalls }: Conversation) => {
      for (const { toolCallId } of openCalls) {
        const delegate = this.#delegates.get(toolCallId)
        if (!delegate || delegates.has(toolCallId)) continue
        delegates.set(toolCallId, delegate.store())
        storeBelow(delegate)
      }
    }
    storeBelow(this.own)
    for (const toolCallId of this.#delegates.keys()) if (!delegates.has(toolCallId)) this.#delegates.delete(toolCallId)
    return {
      version: 1,
      ...own,
      chain: this.#chain,
      ...(delegates.size > 0 ? { delegates: Object.fromEntries(delegates) } : {}),
    }
  }
}
