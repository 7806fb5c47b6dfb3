/** Access grants of a Project to members and groups. */
import { useApi } from '../../../data/context.ts'
import { usePages } from '../../../data/pages.ts'
import { useGroups, useMembers } from '../../../data/people.ts'
import { Tag } from '../../../ui/badge.tsx'
import { NewButton } from '../../../ui/forms/button.tsx'
import { ConfirmAction } from '../../../ui/forms/confirm-action.tsx'
import { Page } from '../../../ui/page.tsx'
import { Empty } from '../../../ui/states.tsx'
import { DataTable } from '../../../ui/table.tsx'
import { Id } from '../../../ui/text/code.tsx'
import { Time } from '../../../ui/time.tsx'
import { useIds } from '../../../use-place.ts'
import { NewGrant } from './new-grant.tsx'
import { PermissionList, permissionWords } from './permission-list.tsx'
import '../settings.css'
import { useOpened } from '../../../use-opened.ts'

interface Subject {
  type: 'user' | 'userGroup'
  id: string
}

export default function AccessPage() {
  const api = useApi()
  const { projectId } = useIds('projectId')
  const [granting, setGranting] = useOpened('new')
  const ofProject = api.v1.projects({ projectId })['access-grants']
  const grants = usePages(['access-grants', projectId], (options, page) => ofProject.get({ ...options, query: page }))
  const begin = (
    <NewButton needs="projects:manage-access-grants" onClick={() => setGranting(true)}>
      Grant access
    </NewButton>
  )
  return (
    <Page
      title="Access"
      about="Permissions of members and groups in this Project. Owners and admins need no grant."
      actions={begin}
    >
      <DataTable
        label="access grants"
        pages={grants}
        keyOf={({ id }) => id}
        columns={[
          { title: 'Member or group', cell: ({ subject }) => <SubjectName subject={subject} /> },
          { title: 'Permissions', cell: ({ permissions }) => <Granted permissions={permissions} /> },
          { title: 'Granted', cell: ({ createdAt }) => <Time at={createdAt} /> },
          {
            title: 'Actions',
            align: 'end',
            cell: ({ id }) => (
              <ConfirmAction
                needs="projects:manage-access-grants"
                small
                tone="quiet"
                question="Revoke this access?"
                consequence="Takes effect on the next request. Roles and other grants still apply."
                confirm="Revoke"
                act={() => ofProject({ grantId: id }).delete()}
                options={{ success: 'Access revoked', changes: [['access-grants', projectId]] }}
              >
                Revoke
              </ConfirmAction>
            ),
          },
        ]}
        empty={
          <Empty icon="people" title="No access grants" action={begin}>
            Members see only the Projects that they have access to. Grant access to a member or a group.
          </Empty>
        }
      />
      {granting && <NewGrant onClose={() => setGranting(false)} />}
    </Page>
  )
}

/** By name, if the user may list members and groups. */
function SubjectName({ subject: { type, id } }: { subject: Subject }) {
  const members = useMembers()
  const groups = useGroups()
  const member = members.value?.find(({ userId }) => userId === id)
  const group = groups.value?.find((group) => group.id === id)
  return (
    <span className="cell-main">
      <span>
        {member?.name ?? group?.name ?? <Id id={id} />} {type === 'userGroup' && <Tag>group</Tag>}
      </span>
      {member && <span className="faint">{member.email}</span>}
    </span>
  )
}

const Granted = ({ permissions }: { permissions: readonly string[] }) => (
  <details className="granted">
    <summary>{permissionWords(permissions)}</summary>
    <PermissionList permissions={permissions} />
  </details>
)
