/** Begins another organization, which the user then owns. */
import { useState } from 'react'
import { useLocation } from 'wouter'
import { useAction } from '../../data/action.ts'
import { useApi } from '../../data/context.ts'
import { at } from '../../places.ts'
import { useSession } from '../../session/session.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Form, TextField } from '../../ui/form.tsx'

/** `Support desk` → `support-desk` */
const slugOf = (name: string) =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 63)

export function NewOrganization({ onClose }: { onClose: () => void }) {
  const api = useApi()
  const { refresh } = useSession()
  const [, navigate] = useLocation()
  const [slug, setSlug] = useState('')
  const create = useAction((body: { name: string; slug: string }) => api.v1.organizations.post(body), {
    success: ({ name }) => `${name} is there`,
    quiet: true,
    done: async ({ slug }) => {
      onClose()
      await refresh()
      navigate(at({ organization: slug }))
    },
  })
  return (
    <Dialog title="New organization" open onClose={onClose}>
      <Form
        action={create}
        submit="Create organization"
        onSubmit={(text) => create.run({ name: text('name'), slug: text('slug') })}
      >
        <TextField
          name="name"
          label="Name"
          required
          maxLength={200}
          onChange={({ target }) => setSlug(slugOf(target.value))}
        />
        <TextField
          name="slug"
          label="Slug"
          hint="Part of addresses; unique in the deployment."
          required
          value={slug}
          onChange={({ target }) => setSlug(target.value)}
        />
      </Form>
    </Dialog>
  )
}
