/** What a Definition is called, and its end. */
import { useLocation } from 'wouter'
import type { Definition } from '../../../authoring/definitions/schema.ts'
import { useAction } from '../../data/action.ts'
import { useApi } from '../../data/context.ts'
import { at, projectOf } from '../../places.ts'
import { usePlace } from '../../use-place.ts'
import { About, End } from '../revisions/about.tsx'
import { changesOf } from '../revisions/revised.ts'

export function DefinitionName({ definition }: { definition: Definition }) {
  const api = useApi()
  const { projectId, id: definitionId, kind } = definition
  const change = useAction(
    (body: { name?: string; description: string | null }) =>
      api.v1.projects({ projectId }).definitions({ definitionId }).patch(body),
    { success: 'The Definition is changed', changes: changesOf('definitions', projectId), quiet: true },
  )
  return (
    <About
      thing={definition}
      mark={['Kind', kind]}
      change={change}
      nameHint="Others refer to it; once a Release pins it, it stays."
    />
  )
}

export function DefinitionEnd({ definition }: { definition: Definition }) {
  const api = useApi()
  const place = usePlace()
  const [, navigate] = useLocation()
  const { projectId, id: definitionId, name } = definition
  const remove = useAction(() => api.v1.projects({ projectId }).definitions({ definitionId }).delete(), {
    success: `${name} is deleted`,
    changes: changesOf('definitions', projectId),
    done: () => navigate(at(projectOf(place), 'definitions')),
  })
  return (
    <End
      kind="definitions"
      thing={definition}
      about="It goes with its revisions, and its name is free again. Not while an active Deployment pins it."
      consequence="Its revisions are removed too."
      remove={remove}
    />
  )
}
