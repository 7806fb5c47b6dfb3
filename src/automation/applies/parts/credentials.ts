/** Provider credentials, which a manifest names by their labels. */
import type { Planning } from '../step.ts'

/** The id of the credential, null for none; undefined, with an issue, unless one active credential has the label. */
export function credentialBy(planning: Planning, label: string | undefined, path: string): string | null | undefined {
  if (label === undefined) return null
  const found = planning.standing.credentials.filter((each) => each.label === label)
  const [only] = found
  if (found.length === 1 && only!.status === 'active') return only!.id
  const message = !only
    ? `The organization has no provider credential ${label}: create one with this label, in the console under Settings, Credentials, or by POST /api/v1/organizations/{organizationIdOrSlug}/provider-credentials.`
    : found.length > 1
      ? `${found.length} provider credentials are called ${label}; give each a label of its own.`
      : `The provider credential ${label} is ${only.status}; enable it, or name another one.`
  planning.issues.push({ path, message })
  return undefined
}

/** The label of a credential; undefined for none. */
export const labelOf = ({ standing }: Pick<Planning, 'standing'>, id: string | null): string | undefined =>
  id === null ? undefined : (standing.credentials.find((each) => each.id === id)?.label ?? id)
