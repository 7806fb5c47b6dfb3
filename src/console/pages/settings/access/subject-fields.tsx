/** Fields for a user or a group: a choice for those who may see all of them, an id for the others. */
import { SelectField, TextField } from '../../../ui/forms/form.tsx'
import { useGroups, useMembers } from './people.ts'

interface SubjectProps {
  name: string
  label: string
}

export function UserField(props: SubjectProps) {
  const { value, failure } = useMembers()
  if (failure) return <TextField {...props} required placeholder="usr_…" hint="You may not see who the members are." />
  return (
    <SelectField {...props} required>
      <option value="">{value ? 'Choose …' : 'Loading …'}</option>
      {value?.map(({ userId, name, email }) => (
        <option key={userId} value={userId}>
          {name} ({email})
        </option>
      ))}
    </SelectField>
  )
}

export function GroupField(props: SubjectProps) {
  const { value, failure } = useGroups()
  if (failure)
    return <TextField {...props} required placeholder="ugr_…" hint="You may not see which groups there are." />
  return (
    <SelectField {...props} required>
      <option value="">{value?.length === 0 ? 'There are no groups yet' : value ? 'Choose …' : 'Loading …'}</option>
      {value?.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </SelectField>
  )
}
