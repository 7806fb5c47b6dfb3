/** Selects permissions of the public API, by family. */
import { useState } from 'react'
import { Button } from '../../../ui/forms/button.tsx'
import { Field } from '../../../ui/forms/form.tsx'
import { type Family, familiesOf, verbOf } from './permission-families.ts'
import './permissions.css'

interface PermissionPickerProps {
  /** Field name in the form: `operations`. */
  name: string
  label: string
  hint?: string
  /** Available permissions. */
  offered: readonly string[]
  chosen: ReadonlySet<string>
  onChange: (chosen: ReadonlySet<string>) => void
  /** Presets: label and filter. */
  choices: [word: string, of: (permission: string) => boolean][]
}

export function PermissionPicker({ name, label, hint, offered, chosen, onChange, choices }: PermissionPickerProps) {
  const [sought, setSought] = useState('')
  const words = sought.toLowerCase().trim()
  const families = familiesOf(offered.filter((permission) => permission.includes(words)))
  const set = (permissions: readonly string[], wanted: boolean) => {
    const next = new Set(chosen)
    for (const permission of permissions) {
      if (wanted) next.add(permission)
      else next.delete(permission)
    }
    onChange(next)
  }
  return (
    <Field name={name} label={label} hint={hint}>
      {(wiring) => (
        <div className="permissions">
          <div className="permissions-head">
            <input
              {...wiring}
              type="search"
              placeholder="Find a permission"
              autoComplete="off"
              value={sought}
              onChange={({ target }) => setSought(target.value)}
              // Enter must not submit the form
              onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
            />
            <fieldset className="row">
              <legend className="visually-hidden">Presets</legend>
              {choices.map(([word, of]) => (
                <Button key={word} small onClick={() => onChange(new Set(offered.filter(of)))}>
                  {word}
                </Button>
              ))}
              <Button small tone="quiet" onClick={() => onChange(new Set())}>
                None
              </Button>
            </fieldset>
          </div>
          <div className="permissions-families">
            {families.map((family) => (
              <FamilyChoice key={family.name} family={family} chosen={chosen} set={set} unfolded={words !== ''} />
            ))}
            {families.length === 0 && <p className="permissions-none">No matching permissions.</p>}
          </div>
          <p className="faint" role="status">
            {chosen.size === 0 ? 'None selected.' : `${chosen.size} of ${offered.length} selected.`}
          </p>
        </div>
      )}
    </Field>
  )
}

interface FamilyChoiceProps {
  family: Family
  chosen: ReadonlySet<string>
  set: (permissions: readonly string[], wanted: boolean) => void
  unfolded: boolean
}

function FamilyChoice({ family: { name, permissions }, chosen, set, unfolded }: FamilyChoiceProps) {
  const count = permissions.filter((permission) => chosen.has(permission)).length
  const isWhole = count === permissions.length
  return (
    <div className="permissions-family">
      <input
        type="checkbox"
        aria-label={`All of ${name}`}
        checked={isWhole}
        ref={(box) => {
          if (box) box.indeterminate = count > 0 && !isWhole
        }}
        onChange={({ target }) => set(permissions, target.checked)}
      />
      <details open={unfolded || undefined}>
        <summary>
          <span>{name}</span>
          <span className="faint number">
            {count} of {permissions.length}
          </span>
        </summary>
        <div className="permissions-verbs">
          {permissions.map((permission) => (
            <label key={permission}>
              <input
                type="checkbox"
                checked={chosen.has(permission)}
                onChange={({ target }) => set([permission], target.checked)}
                aria-label={permission}
              />
              {verbOf(permission)}
            </label>
          ))}
        </div>
      </details>
    </div>
  )
}
