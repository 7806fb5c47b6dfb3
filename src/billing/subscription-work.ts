/**
 * The background work of subscriptions: after an event of the provider the contract is read from it and stored.
 * Repetition and order of events do not matter. Source: contract 8, "Inbound events".
 */
import type { AnyEventObject } from 'xstate'
import type { PaymentProvider } from '../../machines/subscription.ts'
import type { Write } from '../../storage/store.ts'
import type { SubscriptionRow } from '../../storage/tables.ts'
import { ApiError } from '../platform/http/answers/errors.ts'
import type { Actors, Outcome, SendOptions } from '../runtime/actors.ts'
import { isOver } from '../runtime/refusals.ts'
import { type SubscriptionActor, subscriptionAddress, subscriptionCreation, subscriptionKind } from './actor.ts'
import type { Provider } from './provider.ts'

export class SubscriptionWork {
  /** The definition for the actor runtime. */
  readonly kind = subscriptionKind((organizationId, report) => this.#refetch(organizationId, report))

  constructor(private readonly parts: { actors: Actors; provider: Provider | null }) {}

  /** Sends an event to the organization's subscription, which is created if there is none yet. */
  async send(
    organizationId: string,
    event: AnyEventObject,
    provider: PaymentProvider,
    options: SendOptions<SubscriptionRow> = {},
  ): Promise<Outcome<SubscriptionRow>> {
    const { actors } = this.parts
    const address = subscriptionAddress(organizationId)
    try {
      return await actors.send(address, event, options)
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'not_found') throw error
    }
    await actors.create(address, subscriptionCreation(provider)).catch((error: unknown) => {
      // another process created it concurrently
      if (!(error instanceof ApiError) || error.code !== 'invalid_transition') throw error
    })
    return actors.send(address, event, options)
  }

  /** The provider reported a change of the organization's contract. */
  async reported(organizationId: string, provider: PaymentProvider, writes: () => Write[]): Promise<void> {
    await this.send(organizationId, { type: 'reported' }, provider, { writes })
  }

  async #refetch(organizationId: string, report: number): Promise<void> {
    const { actors, provider } = this.parts
    const address = subscriptionAddress(organizationId)
    const actor = (await actors.read(address)) as SubscriptionActor | undefined
    // a later report reads the same state, or a newer one
    if (!actor || actor.context.reports > report) return
    if (!provider?.fetch || actor.context.provider !== provider.name) return
    const standing = await provider.fetch(organizationId)
    try {
      await actors.send(address, { type: 'fetched', report, ...standing })
    } catch (error) {
      if (!isOver(error)) throw error
    }
  }
}
