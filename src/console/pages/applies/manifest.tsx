/** A Project as a file: exports the active Deployment, and plans, reviews and applies a manifest. */
import { useState } from 'react'
import type { Apply, PlanBody } from '../../../automation/applies/schema.ts'
import { useAction } from '../../data/action.ts'
import { useApi } from '../../data/context.ts'
import { useResource } from '../../data/resource.ts'
import { at, type Place } from '../../places.ts'
import { counted } from '../../ui/counted.ts'
import { Button } from '../../ui/forms/button.tsx'
import { Dialog } from '../../ui/forms/dialog.tsx'
import { DocumentForm } from '../../ui/forms/document-form.tsx'
import { Shown } from '../../ui/states.tsx'
import { Code } from '../../ui/text/code.tsx'
import { useOpened } from '../../use-opened.ts'
import type { Environment } from '../delivery/environments.ts'
import { changedIn, PlanView } from './plan.tsx'

interface ManifestsProps {
  place: Place
  environment: Environment
}

export function Manifests({ place, environment }: ManifestsProps) {
  const [applying, setApplying] = useOpened('manifest')
  const [exporting, setExporting] = useOpened('export')
  return (
    <div className="row">
      <Button icon="inbox" onClick={() => setApplying(true)}>
        Apply a manifest
      </Button>
      {environment.activeDeploymentId !== null && (
        <Button icon="out" onClick={() => setExporting(true)}>
          Export as manifest
        </Button>
      )}
      <Dialog title="Apply a manifest" shape="wide" open={applying} onClose={() => setApplying(false)}>
        <ApplyManifest place={place} environment={environment} />
      </Dialog>
      <Dialog
        title="The active Deployment as a manifest"
        shape="wide"
        open={exporting}
        onClose={() => setExporting(false)}
      >
        <Exported environment={environment} />
      </Dialog>
    </div>
  )
}

type Manifest = PlanBody['manifest']

function ApplyManifest({ place, environment }: ManifestsProps) {
  const api = useApi()
  const { kind, projectId, id: environmentId } = environment
  const plan = useAction((manifest: Manifest) => api.v1.applies.plan.post({ manifest, environment: kind }), {
    quiet: true,
  })
  const apply = useAction(
    (manifest: Manifest, expectedPlanDigest: string) =>
      api.v1.applies.post({ manifest, environment: kind, expectedPlanDigest }),
    {
      changes: [
        ['applies', environmentId],
        ['environments', projectId],
      ],
      opens: ({ id, ...made }) => at({ ...place, environmentId: made.environmentId ?? environmentId }, 'applies', id),
    },
  )
  const [planned, setPlanned] = useState<{ manifest: Manifest; plan: Apply['plan'] }>()
  return (
    <>
      <DocumentForm
        action={plan}
        submit="Plan"
        name="manifest"
        hint="As `troupe export` writes it: YAML or JSON, of at most 4 MiB."
        rows={10}
        onSubmit={async (document, _, isCurrent) => {
          setPlanned(undefined)
          const manifest = document as unknown as Manifest
          const made = await plan.run(manifest)
          if (made && isCurrent()) setPlanned({ manifest, plan: made })
        }}
        // the plan is of the text that was sent
        onChange={() => setPlanned(undefined)}
      />
      {planned && (
        <section className="stack" aria-label="Plan">
          {planned.plan.issues.length > 0 ? (
            <div className="banner banner-bad" role="alert">
              <div>
                <p>{counted(planned.plan.issues.length, 'problem')}: nothing is applied.</p>
                <ul>
                  {planned.plan.issues.map(({ path, message }) => (
                    <li key={path + message}>
                      <code>{path}</code> {message}
                    </li>
                  ))}
                </ul>
              </div>
            </div>
          ) : (
            <>
              <PlanView plan={planned.plan} />
              <footer className="dialog-actions">
                <Button
                  needs="deployments:create"
                  tone="primary"
                  icon="rocket"
                  pending={apply.pending}
                  onClick={() => apply.run(planned.manifest, planned.plan.digest)}
                >
                  {changedIn(planned.plan).length === 0 ? 'Apply anyway' : 'Apply'}
                </Button>
              </footer>
            </>
          )}
        </section>
      )}
    </>
  )
}

function Exported({ environment: { projectId, kind } }: Pick<ManifestsProps, 'environment'>) {
  const api = useApi()
  const manifest = useResource(['manifest', projectId, kind], (options) =>
    api.v1.projects({ projectId }).manifest.get({ ...options, query: { environment: kind } }),
  )
  return (
    <Shown resource={manifest}>
      {(value) => (
        <>
          <p className="faint">Values of variables are left out. Applying it changes nothing.</p>
          <Code label="manifest" text={JSON.stringify(value, null, 2)} />
        </>
      )}
    </Shown>
  )
}
