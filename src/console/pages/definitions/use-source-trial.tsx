/** Lets the server validate a draft of a source while it is edited, and draws it: an entity's statechart, a workflow's graph. */
import { Suspense, useMemo, useRef } from 'react'
import type { Definition, DefinitionRevision, RevisionPreview } from '../../../authoring/definitions/schema.ts'
import type { DefinitionSource, WorkflowSource } from '../../../authoring/definitions/source.ts'
import { useApi } from '../../data/context.ts'
import { useResource } from '../../data/resource.ts'
import { useSettled } from '../../data/use-settled.ts'
import { lazyPart } from '../../lazy-part.ts'
import { FailureText } from '../../ui/failure-text.tsx'
import { Loading } from '../../ui/states.tsx'
import type { Trial } from '../revisions/publish.tsx'
import { Stranded } from './stranded.tsx'
import { SourceGraph } from './workflow-steps.tsx'

const TriedChart = lazyPart(() => import('./tried-chart.tsx'))

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
  const last = useRef<{ preview: RevisionPreview; text: string }>(undefined)
  if (preview.value && text) last.current = { preview: preview.value, text }
  const { failure } = preview
  const issues = failure?.status === 422 ? failure.issues : []
  if (kind === 'operations') return { issues, shown: null }
  const shown = (
    <div className="draft-trial">
      {failure && issues.length === 0 && (
        <div className="banner banner-warning" role="status">
          <FailureText failure={failure} />
        </div>
      )}
      {last.current && kind === 'workflow' && <DraftGraph text={last.current.text} />}
      {last.current && kind === 'entity' && (
        <>
          <Stranded stranded={last.current.preview.stranded} projectId={projectId} type={definition.name} />
          <Suspense fallback={<Loading />}>
            <TriedChart
              projectId={projectId}
              definitionId={definitionId}
              latest={latest}
              preview={last.current.preview}
            />
          </Suspense>
        </>
      )}
      {!last.current && issues.length === 0 && !failure && <Loading />}
    </div>
  )
  return { issues, shown }
}

function DraftGraph({ text }: { text: string }) {
  const source = useMemo((): WorkflowSource => JSON.parse(text), [text])
  return <SourceGraph source={source} direction="down" />
}
