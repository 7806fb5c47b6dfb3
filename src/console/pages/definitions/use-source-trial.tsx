/** Lets the server validate a draft of a source while it is edited, and shows the statechart that an entity would have. */
import { lazy, Suspense, useRef } from 'react'
import type { Definition, DefinitionRevision, RevisionPreview } from '../../../authoring/definitions/schema.ts'
import type { DefinitionSource } from '../../../authoring/definitions/source.ts'
import { useApi } from '../../data/context.ts'
import { useResource } from '../../data/resource.ts'
import { useSettled } from '../../data/use-settled.ts'
import { FailureText } from '../../ui/failure-text.tsx'
import { Loading } from '../../ui/states.tsx'
import type { Trial } from '../revisions/publish.tsx'
import { Stranded } from './stranded.tsx'

const TriedChart = lazy(() => import('./tried-chart.tsx'))

/** Delay after the last key. */
const pauseMs = 350

export function useSourceTrial(definition: Definition, latest: DefinitionRevision | undefined, draft: unknown): Trial {
  const api = useApi()
  const { projectId, id: definitionId, kind } = definition
  const text = useSettled(draft === undefined ? null : JSON.stringify(draft), pauseMs)
  const isObject = text?.startsWith('{') ?? false
  const preview = useResource(isObject ? ['definitions', projectId, definitionId, 'preview', text] : null, (options) =>
    api.v1
      .projects({ projectId })
      .definitions({ definitionId })
      .revisions.preview.post({ source: JSON.parse(text ?? '') as DefinitionSource }, options),
  )
  // keep the last drawing while the next one loads
  const last = useRef<RevisionPreview>(undefined)
  if (preview.value) last.current = preview.value
  const { failure } = preview
  const issues = failure?.status === 422 ? failure.issues : []
  if (kind !== 'entity') return { issues, shown: null }
  const shown = (
    <div className="draft-trial">
      {failure && issues.length === 0 && (
        <div className="banner banner-warning" role="status">
          <FailureText failure={failure} />
        </div>
      )}
      {last.current ? (
        <>
          <Stranded stranded={last.current.stranded} projectId={projectId} type={definition.name} />
          <Suspense fallback={<Loading />}>
            <TriedChart projectId={projectId} definitionId={definitionId} latest={latest} preview={last.current} />
          </Suspense>
        </>
      ) : (
        issues.length === 0 && !failure && <Loading />
      )}
    </div>
  )
  return { issues, shown }
}
