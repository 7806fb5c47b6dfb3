/** The provider for development: pages of this server, without payment. Source: contract 8, "Providers". */
import type { CheckoutVisit, PortalVisit, Provider } from '../provider.ts'
import type { Tickets } from './ticket.ts'

export const pagesPath = '/api/billing/embedded'

export class EmbeddedProvider implements Provider {
  readonly name = 'embedded'

  constructor(private readonly parts: { tickets: Tickets; publicUrl(): string }) {}

  checkout({ organizationId, by, plan: { planKey }, successUrl, cancelUrl }: CheckoutVisit): Promise<string> {
    return this.#address({ to: 'checkout', organizationId, by, planKey, successUrl, cancelUrl })
  }

  portal({ organizationId, by, returnUrl }: PortalVisit): Promise<string> {
    return this.#address({ to: 'portal', organizationId, by, returnUrl })
  }

  async #address(ticket: Parameters<Tickets['sign']>[0]): Promise<string> {
    const { tickets, publicUrl } = this.parts
    return `${publicUrl()}${pagesPath}/${await tickets.sign(ticket)}`
  }
}
