/** A name, and a slug derived from it until the user edits the slug: `Support desk` → `support-desk`. */
import { useState } from 'react'
import { TextField } from './form.tsx'

/** Only a suggestion: the API validates the slug. */
export const slugOf = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 63)
    .replaceAll(/^-+|-+$/g, '')

/** Two form fields, `name` and `slug`. */
export function NameAndSlug({ hint }: { hint: string }) {
  const [slug, setSlug] = useState('')
  const [isOwn, setOwn] = useState(false)
  return (
    <>
      <TextField
        name="name"
        label="Name"
        required
        maxLength={200}
        onChange={({ target }) => !isOwn && setSlug(slugOf(target.value))}
      />
      <TextField
        name="slug"
        label="Slug"
        hint={hint}
        required
        value={slug}
        onChange={({ target }) => {
          setSlug(target.value)
          setOwn(target.value !== '')
        }}
      />
    </>
  )
}
