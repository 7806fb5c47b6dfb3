/** Examples of requests and answers about organizations, their people, keys and runner pools, and of billing, by operation. */
import { at, createdBy, type Example, id, made } from './values.ts'

const organization = { id: id('org'), slug: 'acme', name: 'Acme', kind: 'team', status: 'active', ...made }
const ada = { userId: id('usr'), email: 'ada@example.com', name: 'Ada Lovelace', createdAt: at('12:00:00.000') }
const member = { ...ada, emailVerified: true, role: 'admin' }
const group = { id: id('ugr'), name: 'Support', ...made }
const grant = { subject: { type: 'userGroup', id: id('ugr') }, permissions: ['projects:get', 'agent-runs:get'] }
const firstPage = { limit: 20, hasMore: false }

export const tenancyExamples: Record<string, Example> = {
  createOrganization: { request: { name: 'Acme', slug: 'acme' }, answer: { data: organization } },
  getOrganization: { answer: { data: organization } },
  listOrganizations: { answer: { data: { items: [organization] }, pagination: firstPage } },
  updateOrganization: {
    request: { name: 'Acme Europe' },
    answer: { data: { ...organization, name: 'Acme Europe' } },
  },
  listMembers: { answer: { data: { items: [member] }, pagination: firstPage } },
  changeMemberRole: { request: { role: 'admin' }, answer: { data: member } },
  createUserGroup: { request: { name: 'Support' }, answer: { data: group } },
  updateUserGroup: { request: { name: 'Customer support' }, answer: { data: { ...group, name: 'Customer support' } } },
  addUserGroupMember: { request: { userId: id('usr') }, answer: { data: ada } },
  createAccessGrant: {
    request: grant,
    answer: {
      data: { id: id('grt'), projectId: id('prj'), ...grant, createdBy, createdAt: at('12:00:00.000') },
    },
  },
  updateProject: { request: { status: 'paused' } },
  updateApiKey: { request: { name: 'Weekly reports' } },
  requestDeviceAuthorization: { request: { clientName: 'troupe on ada-laptop' } },
  exchangeDeviceCode: { request: { deviceCode: 'Yb2x…' } },
  approveDeviceAuthorization: { request: { operations: ['agent-runs:*', 'projects:get'], projectId: id('prj') } },
  createRunnerPool: { request: { name: 'gpu', exclusive: true } },
  updateRunnerPool: { request: { name: 'gpu-europe' } },
  createRunnerToken: { request: {} },
  rotateRunnerToken: { request: { overlapSeconds: 3_600 } },
  createCheckout: {
    request: {
      planKey: 'pro',
      successUrl: 'http://localhost:3000/billing',
      cancelUrl: 'http://localhost:3000/billing',
    },
  },
  createPortal: { request: { returnUrl: 'http://localhost:3000/billing' } },
}
