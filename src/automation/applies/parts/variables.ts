/** Variables of a manifest, for the Environment. A stored value is compared by its digest and never shown. */

import type { ShownVariable } from '../../../delivery/variables/present.ts'
import { traceOf } from '../../../delivery/variables/value.ts'
import { pointer } from '../../../platform/json.ts'
import type { ManifestVariable } from '../manifest.ts'
import { differing, type Planning, sectionPath } from '../step.ts'

const lengthMax = 65_536

type Content = { value: string } | { sourceVariableId: string; sourceVersion: number }

export async function planVariables(planning: Planning): Promise<void> {
  const { section, standing, steps, issues, kind: environment } = planning
  for (const [name, wanted] of Object.entries(section.variables ?? {})) {
    const at = `${sectionPath(planning)}/variables${pointer(name)}`
    const before = issues.length
    issues.push(...contentIssues(wanted, at))
    if (issues.length > before) continue
    const found = standing.variables.get(name)
    const change = { kind: 'variable', name, environment } as const
    if (wanted.secret) {
      const there = [found, ...standing.boundVariables].filter((each) => each?.name === name)
      if (there.length === 0) {
        const message = `There is no variable ${name} in ${environment}: set it first, in the console or by POST {P}/variables, as its value is not in the manifest.`
        issues.push({ path: at, message })
      } else if (there.every((each) => each?.status !== 'active')) {
        issues.push({ path: at, message: `The variable ${name} of ${environment} is disabled; enable it.` })
      } else steps.push({ change: { ...change, action: 'unchanged', differences: [] } })
      continue
    }
    const content = contentOf(planning, wanted, at)
    if (!content) continue
    const stamp = 'value' in content ? await digestOfValue(planning, content.value) : undefined
    const stamped = stamp !== undefined && { stamp }
    if (!found) {
      steps.push({
        change: { ...change, action: 'create', differences: [] },
        permissions: ['env:variables:create'],
        ...stamped,
        write: (writer) => writer.createVariable({ name, ...content }),
      })
      continue
    }
    const isSame =
      'value' in content ? stamp === found.digest && found.source_variable_id === null : isFrom(found, content)
    const differences = [
      ...(isSame ? [] : contentDifferences(planning, found, wanted, content)),
      ...differing('/status', found.status, 'active'),
    ]
    steps.push({
      change: { ...change, action: differences.length > 0 ? 'update' : 'unchanged', differences },
      ...(differences.length > 0 && {
        permissions: ['env:variables:create'] as const,
        ...stamped,
        write: (writer) =>
          writer.changeVariable(found.id, {
            ...(!isSame && content),
            ...(found.status !== 'active' && { status: 'active' }),
          }),
      }),
    })
  }
}

const digestOfValue = async ({ parts, organizationId }: Planning, value: string) =>
  (await traceOf(parts.vault, organizationId, value)).digest

const isFrom = (found: ShownVariable, content: { sourceVariableId: string; sourceVersion: number }) =>
  found.source_variable_id === content.sourceVariableId && found.source_version === content.sourceVersion

function contentIssues({ value, fromOrganization, version, secret }: ManifestVariable, path: string) {
  const given = [value, fromOrganization, secret].filter((each) => each !== undefined).length
  if (given !== 1) return [{ path, message: 'Must have exactly one of value, fromOrganization and secret.' }]
  if (version !== undefined && fromOrganization === undefined) {
    return [{ path: `${path}/version`, message: 'Goes with fromOrganization only.' }]
  }
  return value !== undefined && [...value].length > lengthMax
    ? [{ path: `${path}/value`, message: `May have at most ${lengthMax.toLocaleString('en')} characters.` }]
    : []
}

/** The target value of the variable; undefined, with an issue, if the organization variable is missing. */
function contentOf(planning: Planning, wanted: ManifestVariable, path: string): Content | undefined {
  const { value, fromOrganization = '', version } = wanted
  if (value !== undefined) return { value }
  const source = planning.standing.organizationVariables.get(fromOrganization)
  if (source && (version ?? 1) <= source.version) {
    return { sourceVariableId: source.id, sourceVersion: version ?? source.version }
  }
  planning.issues.push(
    source
      ? {
          path: `${path}/version`,
          message: `The organization variable ${fromOrganization} has ${source.version} versions.`,
        }
      : { path: `${path}/fromOrganization`, message: `The organization has no variable ${fromOrganization}.` },
  )
  return undefined
}

function contentDifferences({ standing }: Planning, found: ShownVariable, wanted: ManifestVariable, content: Content) {
  if ('value' in content) return [{ path: '/value', shortened: false }]
  const names = new Map([...standing.organizationVariables].map(([name, { id }]) => [id, name]))
  const was = found.source_variable_id === null ? undefined : names.get(found.source_variable_id)
  return [
    ...differing('/fromOrganization', was, wanted.fromOrganization),
    ...differing('/version', found.source_version ?? undefined, content.sourceVersion),
  ]
}
