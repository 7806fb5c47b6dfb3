/** Form for a new organization. */
import { useAction } from '../../../data/action.ts'
import { useApi } from '../../../data/context.ts'
import { at } from '../../../places.ts'
import { useSession } from '../../../session/session.ts'
import { Dialog } from '../../../ui/forms/dialog.tsx'
import { Form } from '../../../ui/forms/form.tsx'
import { NameAndSlug } from '../../../ui/forms/name-and-slug.tsx'

export function NewOrganization({ onClose }: { onClose: () => void }) {
  const api = useApi()
  const { refresh } = useSession()
  const create = useAction((body: { name: string; slug: string }) => api.v1.organizations.post(body), {
    success: ({ name }) => `${name} created`,
    quiet: true,
    renews: refresh,
    done: onClose,
    opens: ({ slug }) => at({ organization: slug }),
  })
  return (
    <Dialog title="New organization" open onClose={onClose}>
      <Form
        action={create}
        submit="Create organization"
        onSubmit={(text) => create.run({ name: text('name'), slug: text('slug') })}
      >
        <NameAndSlug hint="Part of addresses; unique on this server." />
      </Form>
    </Dialog>
  )
}
