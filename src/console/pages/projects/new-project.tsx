/** Form for a new Project, empty or from a template. */
import { useState } from 'react'
import { useAction } from '../../data/action.ts'
import { useApi } from '../../data/context.ts'
import { useResource } from '../../data/resource.ts'
import { at, organizationOf } from '../../places.ts'
import { Tag } from '../../ui/badge.tsx'
import { Dialog } from '../../ui/forms/dialog.tsx'
import { Form, SelectField } from '../../ui/forms/form.tsx'
import { NameAndSlug } from '../../ui/forms/name-and-slug.tsx'
import { Options } from '../../ui/forms/options.tsx'
import { usePlace } from '../../use-place.ts'
import './projects.css'

export function NewProject({ open, onClose }: { open: boolean; onClose: () => void }) {
  const api = useApi()
  const place = usePlace()
  const [templateId, setTemplateId] = useState('')
  const templates = useResource(open ? ['templates'] : null, (options) =>
    api.v1.templates.get({ ...options, query: { limit: 100 } }),
  )
  const template = templates.value?.items.find(({ id }) => id === templateId)
  const create = useAction((body: { name: string; slug: string; templateId?: string }) => api.v1.projects.post(body), {
    success: ({ name }) => `${name} created`,
    changes: [['projects']],
    done: onClose,
    opens: ({ id }) => at({ ...organizationOf(place), projectId: id }),
    quiet: true,
  })
  return (
    <Dialog title="New project" open={open} onClose={onClose}>
      <Form
        needs="projects:create"
        action={create}
        submit="Create project"
        onSubmit={(text) => create.run({ name: text('name'), slug: text('slug'), ...(templateId && { templateId }) })}
      >
        <NameAndSlug hint="Part of addresses; unique in the organization." />
        <SelectField
          name="templateId"
          label="Template"
          hint="The content of the template is copied and can be changed."
          value={templateId}
          onChange={({ target }) => setTemplateId(target.value)}
        >
          <option value="">None</option>
          <Options of={templates.value?.items} />
        </SelectField>
        {template && (
          <div className="template">
            <p>{template.description}</p>
            <ul className="row" aria-label="Contents">
              {[...template.agents, ...template.definitions].map(({ name }) => (
                <li key={name}>
                  <Tag>{name}</Tag>
                </li>
              ))}
            </ul>
          </div>
        )}
      </Form>
    </Dialog>
  )
}
