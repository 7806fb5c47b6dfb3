/** Entities that change state at a given rate: from `even` to `odd`, and back. */
import { serve } from '../filled/happened.ts'
import type { Maker } from '../filled/maker.ts'

const states = { initial: 'even', states: { even: { on: { beat: 'odd' } }, odd: { on: { beat: 'even' } } } }
const operation = (name: string, action: string) => ({
  name,
  description: 'Lets a pulse beat.',
  inputSchema: { type: 'object' },
  effect: 'write',
  idempotent: false,
  approval: 'never',
  handler: { type: 'entity', entity: 'pulse', action },
})

export interface Pulse {
  id: string
  projectId: string
  definitionId: string
  /** Resolves after one transition. */
  beat(): Promise<void>
  /** Makes this many transitions a second until stopped; then returns their number. */
  beatPerSecond(times: number): { stop(): Promise<number> }
}

export async function openPulse(api: Maker): Promise<Pulse> {
  const { id: projectId } = await api.post('/api/v1/projects', { slug: 'pulse', name: 'Pulse' })
  const project = `/api/v1/projects/${projectId}`
  const define = async (name: string, kind: string, source: object) => {
    const { id: definitionId } = await api.post(`${project}/definitions`, { name, kind })
    const { id } = await api.post(`${project}/definitions/${definitionId}/revisions`, { source })
    return { definitionId, definitionRevisionId: id as string }
  }
  const entity = await define('pulse', 'entity', { schema: { type: 'object' }, states })
  const operations = [operation('begin', 'create'), operation('beat', 'transition')]
  const operating = await define('heart', 'operations', { operations })
  const { id: agentId } = await api.post(`${project}/agents`, { slug: 'doctor', name: 'Doctor' })
  const content = { instructions: 'Feel the pulse.' }
  const granted = ['heart.begin', 'heart.beat']
  const revision = await api.post(`${project}/agents/${agentId}/revisions`, { content, grantedOperations: granted })
  const agents = [{ agentId, agentRevisionId: revision.id }]
  const release = await api.post(`${project}/releases`, { agents, definitions: [entity, operating] })
  const [{ id: environmentId }] = (await api.get(`${project}/environments`)).items
  const path = `${project}/environments/${environmentId}`
  await serve(api, path, release.id, 'The first one')
  const invoke = (name: string, input: object) =>
    api.post(`${path}/agents/${agentId}/operations/heart.${name}/invoke`, { input })
  const { output } = await invoke('begin', { data: {} })
  const beat = async () => void (await invoke('beat', { id: output.id, event: 'beat' }))
  return {
    id: output.id,
    projectId,
    definitionId: entity.definitionId,
    beat,
    beatPerSecond(times) {
      let moves = 0
      let underWay: Promise<void> = Promise.resolve()
      const timer = setInterval(() => {
        underWay = underWay.then(async () => {
          await beat()
          moves += 1
        })
      }, 1_000 / times)
      return {
        async stop() {
          clearInterval(timer)
          await underWay
          return moves
        },
      }
    },
  }
}
