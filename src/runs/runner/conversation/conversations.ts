/**
 * The conversations of an attempt: the run's own and those of active delegates. They are stored together, so that a
 * checkpoint is consistent. Source: contract 5, `latest`.
 */

import type { Assignment, OpenCall, RuntimeCheckpoint, StoredConversation } from '../protocol/protocol.ts'
import { Conversation } from './conversation.ts'

const noInput = { query: null, contents: [] }

export class Conversations {
  readonly own: Conversation
  /** Delegates' conversations, by the call that each answers. */
  readonly #delegates = new Map<string, Conversation>()
  readonly #chain: number
  readonly #chainBefore: number

  constructor({ resume, chain, input }: Pick<Assignment, 'resume' | 'chain' | 'input'>) {
    const sameChain = resume?.chain === chain
    this.#chain = chain
    this.#chainBefore = resume?.chain ?? chain - 1
    this.own = new Conversation({ resume, sameChain, input, answers: null })
    for (const [answers, stored] of Object.entries(resume?.delegates ?? {})) {
      this.#delegates.set(answers, new Conversation({ resume: stored, sameChain, input: noInput, answers }))
    }
  }

  /** The conversation that answers a delegate's call, if it has begun. */
  find(toolCallId: string): Conversation | undefined {
    return this.#delegates.get(toolCallId)
  }

  /** The conversation that answers a delegate's call: resumed, or started with the call's query. */
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

  /** All conversations to store, without those whose call has been answered, which are dropped. */
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
      chain: this.own.unappliedInput ? this.#chainBefore : this.#chain,
      ...(delegates.size > 0 ? { delegates: Object.fromEntries(delegates) } : {}),
    }
  }
}
