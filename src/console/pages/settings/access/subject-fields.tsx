/** Select of a user or group; an id field without permission to list them. */
import { whyNoChoice } from '../../../data/describe-failure.ts'
import { useGroups, useMembers } from '../../../data/people.ts'
import { SelectField, TextField } from '../../../ui/forms/form.tsx'
import { Options } from '../../../ui/forms/options.tsx'

interface SubjectProps {
  name: string
  label: string
}

export function UserField(props: SubjectProps) {
  const { value, failure } = useMembers()
  if (failure) return <TextField {...props} required placeholder="usr_…" hint={whyNoChoice(failure, 'members')} />
  return (
    <SelectField {...props} required>
      <option value="">{value ? 'Choose…' : 'Loading…'}</option>
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
  if (failure) return <TextField {...props} required placeholder="ugr_…" hint={whyNoChoice(failure, 'groups')} />
  return (
    <SelectField {...props} required>
      <option value="">{value?.length === 0 ? 'No groups yet' : value ? 'Choose…' : 'Loading…'}</option>
      <Options of={value} />
    </SelectField>
  )
}
