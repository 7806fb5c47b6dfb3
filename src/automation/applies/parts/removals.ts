/** Removals of an Apply with `prune`: resources that Applies have created and the manifest no longer names. */
import { isPruned } from '../kept.ts'
import type { Planning } from '../step.ts'
import { placed } from './connections.ts'

export function planRemovals(planning: Planning): void {
  const { manifest, section, standing, steps, prune, kind } = planning
  if (!prune) return
  const removal = { action: 'remove' as const, differences: [] }
  for (const [name, { row }] of standing.agents) {
    if (row.status !== 'active' || Object.hasOwn(manifest.agents ?? {}, name) || !isPruned(planning, row.id)) continue
    steps.push({
      change: { ...removal, kind: 'agent', name, environment: null },
      permissions: ['agents:delete'],
      remove: (writer) => writer.removeAgent(row.id),
    })
  }
  for (const [name, { row }] of standing.definitions) {
    if (Object.hasOwn(manifest.definitions ?? {}, name) || !isPruned(planning, row.id)) continue
    steps.push({
      change: { ...removal, kind: 'definition', name, environment: null },
      permissions: ['definitions:delete'],
      remove: (writer) => writer.removeDefinition(row.id),
    })
  }
  const wanted = Object.entries(section.connections ?? {}).flatMap(([name, each]) => placed(name, each))
  const named = new Set(wanted.map(({ name }) => name))
  for (const { id, name, status } of standing.connections) {
    if (named.has(name) || status !== 'active' || !isPruned(planning, id)) continue
    steps.push({
      change: { ...removal, kind: 'connection', name, environment: kind },
      permissions: ['connections:delete'],
      stamp: id,
      remove: (writer) => writer.removeConnection(id),
    })
  }
  for (const [name, { id }] of standing.variables) {
    if (Object.hasOwn(section.variables ?? {}, name) || !isPruned(planning, id)) continue
    steps.push({
      change: { ...removal, kind: 'variable', name, environment: kind },
      permissions: ['env:variables:delete'],
      stamp: id,
      remove: (writer) => writer.removeVariable(id),
    })
  }
}
