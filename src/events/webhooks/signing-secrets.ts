/**
 * Signing secrets: generated here, shown once, stored encrypted, and read for each attempt. The only module that uses
 * the library of Standard Webhooks. Source: requirement 6.2; contract 7, "Standard Webhooks"; trust 2.1.
 */
import { randomBytes } from 'node:crypto'
import { Webhook as Signer } from 'standardwebhooks'
import { DamagedRecord } from '../../../storage/errors.ts'
import { listSecretsInForce } from '../../../storage/events/webhook-secrets.ts'
import type { Store } from '../../../storage/store.ts'
import type { WebhookSecretRow } from '../../../storage/tables.ts'
import type { Secret } from '../../platform/operating/secret.ts'
import type { SecretPlace, Vault } from '../../platform/secrets/vault.ts'

/** The signed message. */
interface Message {
  /** The event's id: the same at each attempt and in each replay. */
  id: string
  /** The time of the attempt, epoch milliseconds. */
  at: number
  body: string
}

const secretBytes = 32

export const newSigningSecret = (): string => `whsec_${randomBytes(secretBytes).toString('base64')}`

const placeOf = (organizationId: string, webhookId: string, version: number): SecretPlace => ({
  organizationId,
  table: 'webhook_secrets',
  recordId: webhookId,
  version,
})

interface Owner {
  id: string
  organization_id: string
}

export class SigningSecrets {
  constructor(private readonly parts: { store: Store; vault: Vault }) {}

  /** The row of a webhook's secret with this version. */
  async row({ id, organization_id }: Owner, version: number, secret: string, at: number): Promise<WebhookSecretRow> {
    const sealed = await this.parts.vault.seal(placeOf(organization_id, id, version), secret)
    return { webhook_id: id, version, sealed, created_at: at, expires_at: null }
  }

  /**
   * The signature headers: signed with every valid secret, the current one first. undefined for a deleted webhook.
   * Throws `DamagedRecord` if none of the secrets can be decrypted.
   */
  async headers(owner: Owner, { id, at, body }: Message): Promise<Record<string, string> | undefined> {
    const secrets = await this.#inForce(owner, at)
    if (secrets.length === 0) return undefined
    const time = new Date(at)
    return {
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at / 1_000)),
      'webhook-signature': secrets.map((secret) => new Signer(secret.reveal()).sign(id, time, body)).join(' '),
    }
  }

  async #inForce({ id, organization_id }: Owner, now: number): Promise<Secret[]> {
    const { store, vault } = this.parts
    const rows = await store.all<WebhookSecretRow>(listSecretsInForce(store, { webhookId: id, now }))
    const secrets: Secret[] = []
    let damage: DamagedRecord | undefined
    for (const { version, sealed } of rows) {
      try {
        secrets.push(await vault.unseal(placeOf(organization_id, id, version), sealed))
      } catch (error) {
        // the others still sign, so that a rotation replaces a damaged secret at once
        if (!(error instanceof DamagedRecord)) throw error
        damage = error
      }
    }
    if (secrets.length === 0 && damage) throw damage
    return secrets
  }
}
