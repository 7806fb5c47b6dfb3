/** Describes the diff of two Releases or two Deployments. Pure. */

import type { Difference, ReleaseDiff } from '../../../../authoring/releases/differences/schema.ts'
import type { DeploymentDiff } from '../../../../delivery/deployments/differences/schema.ts'

/** One added, removed or changed item. */
export interface Changed {
  /** Kind and name: `Agent clerk`. */
  title: string
  change: 'added' | 'removed' | 'changed'
  /** `1 → 2` for a changed item, else empty. */
  versions: string
  lines: Line[]
}

/** One changed value. */
export interface Line {
  /** Path into the content, or a word. */
  what: string
  /** undefined: absent. */
  before: string | undefined
  after: string | undefined
}

/** Longer values are shown on several lines. */
const lineMax = 80

function text(value: unknown): string | undefined {
  if (value === undefined || typeof value === 'string') return value
  const line = JSON.stringify(value)
  return line.length > lineMax ? JSON.stringify(value, null, 2) : line
}

export const line = ({ path, before, after }: Difference): Line => ({
  what: path || '/',
  before: text(before),
  after: text(after),
})

const fromTo = (before: unknown, after: unknown) => (before === after ? '' : `${before ?? '?'} → ${after ?? '?'}`)

const numbers = (before: { number: number | null } | null, after: { number: number | null } | null) =>
  before && after ? fromTo(before.number, after.number) : ''

type Credential = {
  providerCredentialId: string
  label: string | null
  providerCredentialVersion: number | null
} | null

const credentialLine = (before: Credential | undefined, after: Credential | undefined): Line[] => {
  const both = [before ?? null, after ?? null]
  // names need not be unique
  const isAmbiguous = before?.label === after?.label && before?.providerCredentialId !== after?.providerCredentialId
  const [one, other] = both.map((pin) => {
    if (!pin) return undefined
    const { label, providerCredentialId: id, providerCredentialVersion: version } = pin
    const name = label === null ? id : isAmbiguous ? `${label} (${id})` : label
    return `${name} version ${version ?? '?'}`
  })
  return one === other ? [] : [{ what: 'credential', before: one, after: other }]
}

export const releaseChanges = ({ agents, definitions }: ReleaseDiff): Changed[] => [
  ...agents.map(({ name, change, before, after, differences, grants, delegates }) => ({
    title: `Agent ${name}`,
    change,
    versions: numbers(before, after),
    lines: [
      ...differences.map(line),
      ...grants.added.map((grant) => ({ what: 'granted operation', before: undefined, after: grant })),
      ...grants.removed.map((grant) => ({ what: 'granted operation', before: grant, after: undefined })),
      ...delegates.map(({ name, before, after }) => ({
        what: `delegate ${name}`,
        before: before ?? undefined,
        after: after ?? undefined,
      })),
    ],
  })),
  ...definitions.map(({ name, change, before, after, differences }) => ({
    title: `Definition ${name}`,
    change,
    versions: numbers(before, after),
    lines: differences.map(line),
  })),
]

const boundTo = (agent: string | null, key: string | null) => (agent === null ? '' : ` (${agent}, ${key})`)

export const deploymentChanges = (diff: DeploymentDiff): Changed[] => [
  ...releaseChanges(diff.release),
  ...diff.variables.map(({ name, agent, bindingKey, change, before, after }) => ({
    title: `Variable ${name}${boundTo(agent, bindingKey)}`,
    change,
    versions: before && after ? fromTo(before.version, after.version) : '',
    lines: [],
  })),
  ...diff.connections.map(({ name, agent, bindingKey, change, before, after, differences }) => ({
    title: `Connection ${name}${boundTo(agent, bindingKey)}`,
    change,
    versions: numbers(before, after),
    lines: [
      ...differences.map(line),
      ...(change === 'changed' ? credentialLine(before?.credential, after?.credential) : []),
    ],
  })),
  ...diff.providerSettings.map(({ agent, change, before, after, differences }) => ({
    title: `Model of ${agent}`,
    change,
    versions: before && after ? fromTo(before.model, after.model) : '',
    lines: [
      ...(change === 'changed' && before?.provider !== after?.provider
        ? [
            {
              what: 'provider',
              before: before?.provider ?? 'platform default',
              after: after?.provider ?? 'platform default',
            },
          ]
        : []),
      ...differences.map(line),
      ...(change === 'changed' ? credentialLine(before?.credential, after?.credential) : []),
    ],
  })),
  ...(diff.before.credentials === diff.after.credentials
    ? []
    : [
        {
          title: 'Credentials',
          change: 'changed' as const,
          versions: `${diff.before.credentials} → ${diff.after.credentials}`,
          lines: [],
        },
      ]),
]
