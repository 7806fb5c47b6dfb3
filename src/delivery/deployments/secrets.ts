/**
 * Checks the secrets of a Deployment: whether each may be used and can be decrypted. Values do not leave this module. Source:
 * contract 3, "validating", "provisioning".
 */
import type { DeploymentIssue } from '../../../machines/deployment.ts'
import { SecretUnavailable, type Unavailability } from '../../platform/secrets/unavailable.ts'
import type { CredentialReference } from '../provider-credentials/secrets.ts'
import type { VariableReference } from '../variables/values.ts'
import type { Pinned } from './pinned.ts'

interface Source<Reference> {
  /** Throws `SecretUnavailable` if it may not be used; decrypts nothing. */
  assertUsable(reference: Reference): Promise<void>
  /** Throws `SecretUnavailable` if it may not be used or cannot be decrypted. */
  reveal(reference: Reference): Promise<unknown>
}

export interface SecretSources {
  credentials: Source<CredentialReference>
  variables: Source<VariableReference>
  /** Consents, without contacting providers. */
  grants: Source<{ organizationId: string; grantId: string }>
}

/** Checks the record, or also decrypts the secret. */
type Look = keyof Source<unknown>

const reasons: Record<Unavailability, string> = {
  missing: 'does not exist',
  disabled: 'is disabled; enable it',
  expired: 'has expired; change its expiry or give it a new secret',
  revoked: 'is revoked; create a Configuration Revision with a newer version, or deploy with credentials: current',
  source_disabled: 'takes its value from a disabled organization variable; enable that one',
  unreadable: 'cannot be decrypted',
}

/** One secret, and every place that refers to it. */
interface Reference {
  code: 'credential' | 'variable' | 'consent'
  /** Omitted if the secret has its own name. */
  name?: string
  /** Messages in place of the usual ones. */
  messages?: Partial<Record<Unavailability, string>>
  paths: string[]
  look(): Promise<unknown>
}

/** An issue for each place that refers to an unusable secret. */
export async function secretIssues(
  sources: SecretSources,
  organizationId: string,
  pinned: Pinned,
  look: Look,
): Promise<DeploymentIssue[]> {
  const issues: DeploymentIssue[] = []
  for (const { code, name, messages, paths, look: lookAtIt } of referencesOf(sources, organizationId, pinned, look)) {
    const unavailable = await lookAtIt().then(
      () => undefined,
      (error: unknown) => {
        if (error instanceof SecretUnavailable) return error
        throw error
      },
    )
    if (unavailable === undefined) continue
    const { what, reason } = unavailable
    const message = messages?.[reason] ?? `${name ?? what} ${reasons[reason]}.`
    for (const path of paths) issues.push({ code: `${code}_${reason}`, path, message })
  }
  return issues
}

function referencesOf(sources: SecretSources, organizationId: string, pinned: Pinned, look: Look): Iterable<Reference> {
  const references = new Map<string, Reference>()
  const credential = (path: string, credentialId: string | null, version: number | null) => {
    if (credentialId === null) return
    const key = `${credentialId} ${version}`
    const known = references.get(key)
    if (known) known.paths.push(path)
    else {
      references.set(key, {
        code: 'credential',
        paths: [path],
        // versions are only deleted together with their credential
        messages: {
          missing:
            `The provider credential ${credentialId} was deleted; give the Connection or the provider setting ` +
            'another one, or none, and create a new Configuration Revision.',
        },
        // an open version is one of a credential that was deleted before it was resolved
        look: () => sources.credentials[look]({ organizationId, credentialId, version: version ?? 0 }),
      })
    }
  }
  for (const { connectionId, providerCredentialId, providerCredentialVersion } of pinned.connections) {
    credential(`/connections/${connectionId}`, providerCredentialId, providerCredentialVersion)
  }
  for (const { connectionId, name, grantId } of pinned.connections) {
    if (grantId === null) continue
    const consent = `The consent of the Connection ${name} (${connectionId})`
    references.set(grantId, {
      code: 'consent',
      name: consent,
      messages: { expired: `${consent} has ended; connect the account again, and deploy with credentials: current.` },
      paths: [`/connections/${connectionId}`],
      look: () => sources.grants[look]({ organizationId, grantId }),
    })
  }
  for (const { settingId, providerCredentialId, providerCredentialVersion } of pinned.settings) {
    credential(`/providerSettings/${settingId}`, providerCredentialId, providerCredentialVersion)
  }
  for (const { variableId, version } of pinned.variables) {
    references.set(variableId, {
      code: 'variable',
      paths: [`/variables/${variableId}`],
      look: () => sources.variables[look]({ organizationId, variableId, version }),
    })
  }
  return references.values()
}
