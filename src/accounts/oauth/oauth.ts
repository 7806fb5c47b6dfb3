/** The parts of consent flows and of the use of their tokens. */
import type { Store } from '../../../storage/store.ts'
import type { AuditSink } from '../../platform/http/changes/audit-trail.ts'
import type { Logger } from '../../platform/operating/logger.ts'
import type { OutboundClient } from '../../platform/outbound/client.ts'
import type { KeyRing } from '../../platform/secrets/keyring.ts'
import type { Vault } from '../../platform/secrets/vault.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { ClientSecrets } from '../integrations/client-secrets.ts'
import type { Presets } from '../presets/catalogue.ts'
import { FlowCookies } from './flow.ts'
import type { ProviderParts } from './provider-answer.ts'
import { Refreshes } from './refreshes.ts'
import { GrantTokens } from './tokens.ts'

interface OAuthParts {
  store: Store
  clock: Clock
  vault: Vault
  ring: KeyRing
  logger: Logger
  outbound: OutboundClient
  presets: Pick<Presets, 'find'>
  audit: Pick<AuditSink, 'write'>
  /** The base URL that clients use; known once the server listens. */
  publicUrl(): string
  /** The console's origin; undefined: it is served here. */
  consoleUrl: string | null
}

export class OAuth {
  readonly clients: ClientSecrets
  readonly provider: ProviderParts
  readonly tokens: GrantTokens
  readonly flows: FlowCookies
  readonly consoleOrigin: () => string

  constructor(parts: OAuthParts) {
    const { store, clock, vault, ring, outbound, publicUrl, consoleUrl } = parts
    this.clients = new ClientSecrets({ store, vault })
    this.provider = { outbound }
    const refreshes = new Refreshes({ ...parts, provider: this.provider, clients: this.clients })
    this.tokens = new GrantTokens({ store, clock, vault, refreshes })
    this.flows = new FlowCookies(ring, () => publicUrl().startsWith('https:'))
    this.consoleOrigin = () => new URL(consoleUrl ?? publicUrl()).origin
  }

  /** Consents as Deployments check them, without a request to the provider. */
  readonly deployed = {
    assertUsable: (reference: Parameters<GrantTokens['assertUsable']>[0]) => this.tokens.assertUsable(reference),
    reveal: (reference: Parameters<GrantTokens['assertUsable']>[0]) => this.tokens.assertReadable(reference),
  }
}
