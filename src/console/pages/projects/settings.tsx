/** Project settings: name, status, deletion. */
import type { PresentedProject } from '../../../tenancy/projects/schema.ts'
import { useAction } from '../../data/action.ts'
import { useSavedFields } from '../../data/changed-fields.ts'
import { useApi } from '../../data/context.ts'
import { useResource } from '../../data/resource.ts'
import { at, organizationOf } from '../../places.ts'
import { StateBadge } from '../../ui/badge.tsx'
import { Button } from '../../ui/forms/button.tsx'
import { ConfirmButton } from '../../ui/forms/confirm.tsx'
import { ConfirmAction } from '../../ui/forms/confirm-action.tsx'
import { Form, TextField } from '../../ui/forms/form.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { Removal, removalLookMs } from '../../ui/removal.tsx'
import { Shown } from '../../ui/states.tsx'
import { useIds, usePlace } from '../../use-place.ts'

export default function ProjectSettingsPage() {
  const api = useApi()
  const place = usePlace()
  const { projectId } = useIds('projectId')
  const resource = useResource(['projects', projectId], (options) => api.v1.projects({ projectId }).get(options), {
    every: (project) => (project?.status === 'deleting' ? removalLookMs : null),
  })
  return (
    <Page title="Project settings" about="Name, status and deletion." up={{ title: 'Project', href: at(place) }}>
      <Shown resource={resource}>
        {(project) => (
          <>
            <Section title="Name">
              <NameForm key={project.id} project={project} />
            </Section>
            <Section title="Status">
              <Work project={project} />
            </Section>
            <Section title="Delete">
              {project.status === 'deleting' ? <Going project={project} /> : <End project={project} />}
            </Section>
          </>
        )}
      </Shown>
    </Page>
  )
}

interface Changes {
  name?: string
  slug?: string
  status?: 'active' | 'paused'
}

function useChange(projectId: string, success: string, quiet = false) {
  const api = useApi()
  return useAction((changes: Changes) => api.v1.projects({ projectId }).patch(changes), {
    success,
    changes: [['projects']],
    quiet,
  })
}

function NameForm({ project: { id, name, slug, status } }: { project: PresentedProject }) {
  const change = useChange(id, 'Project updated', true)
  const save = useSavedFields({ name, slug }, change.run)
  return (
    <div className="panel">
      <Form
        action={change}
        needs="projects:update"
        submit="Save"
        onSubmit={(text) => save({ name: text('name'), slug: text('slug') })}
      >
        <TextField name="name" label="Name" required defaultValue={name} disabled={status === 'deleting'} />
        <TextField
          name="slug"
          label="Slug"
          hint="Unique in the organization. Console addresses use the ID and do not change."
          required
          defaultValue={slug}
          disabled={status === 'deleting'}
        />
      </Form>
    </div>
  )
}

function Work({ project: { id, status } }: { project: PresentedProject }) {
  const pause = useChange(id, 'Project paused')
  const resume = useChange(id, 'Project resumed')
  return (
    <div className="panel">
      <div className="row">
        <StateBadge state={status} />
        <span>
          {status === 'active' && 'It accepts new runs, jobs, workflows and Deployments.'}
          {status === 'paused' && 'It accepts no new work. Runs in progress continue.'}
          {status === 'deleting' && 'It is being deleted: its runs are ended, then its contents are removed.'}
        </span>
      </div>
      <div className="row">
        {status === 'active' && (
          <ConfirmButton
            needs="projects:update"
            tone="plain"
            pending={pause.pending}
            question="Pause this project?"
            consequence={
              <p>No run, job, workflow or Deployment starts until it is resumed. Runs in progress continue.</p>
            }
            confirm="Pause project"
            onConfirm={() => pause.run({ status: 'paused' })}
          >
            Pause
          </ConfirmButton>
        )}
        {status === 'paused' && (
          <Button
            needs="projects:update"
            tone="primary"
            pending={resume.pending}
            onClick={() => resume.run({ status: 'active' })}
          >
            Resume
          </Button>
        )}
      </div>
    </div>
  )
}

function Going({ project: { deletion } }: { project: PresentedProject }) {
  return (
    <div className="panel panel-danger">
      <Removal deletion={deletion} what="The Project" />
    </div>
  )
}

function End({ project: { id, name } }: { project: PresentedProject }) {
  const api = useApi()
  const place = usePlace()
  return (
    <div className="panel">
      <p>
        Ends its runs, then deletes its Agents, Definitions, Environments, history and everything else in it. This
        cannot be undone.
      </p>
      <div className="row">
        <ConfirmAction
          needs="projects:delete"
          question={`Delete ${name}?`}
          consequence={<p>Everything in it is deleted, in all of its Environments. This cannot be undone.</p>}
          typed={name}
          confirm="Delete permanently"
          act={() => api.v1.projects({ projectId: id }).delete()}
          options={{
            success: `${name} is being deleted`,
            changes: [['projects']],
            opens: () => at(organizationOf(place), 'projects'),
          }}
        >
          Delete project
        </ConfirmAction>
      </div>
    </div>
  )
}
