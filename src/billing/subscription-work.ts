/**
 * What moves subscriptions besides people: the provider says that something has happened, is asked how things stand, and
 * that is written. Repeats and the order of what it says do not matter. Source: contract 8, "Inbound events".
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
  /** What the actor runtime has to know of subscriptions. */
  readonly kind = subscriptionKind((organizationId, report) => this.#refetch(organizationId, report))

  constructor(private readonly parts: { actors: Actors; provider: Provider | null }) {}

  /** Sends an event to the organization's subscription, which begins with it where there is none yet. */
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
      // somebody else has begun it at this moment
      if (!(error instanceof ApiError) || error.code !== 'invalid_transition') throw error
    })
    return actors.send(address, event, options)
  }

  /** The provider says that something has happened to the organization's contract. */
  async reported(organizationId: string, provider: PaymentProvider, writes: () => Write[]): Promise<void> {
    await this.send(organizationId, { type: 'reported' }, provider, { writes })
  }

  async #refetch(organizationId: string, report: number): Promise<void> {
    const { actors, provider } = this.parts
    const address = subscriptionAddress(organizationId)
    const actor = (await actors.read(address)) as SubscriptionActor | undefined
    // whoever was asked for later sees what this one would see, and more
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
