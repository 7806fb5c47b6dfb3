/** Statements that read or sort more than they show, and why that is bounded all the same. */
const oneRow = 'the table has one row'
const ofOneRun = 'sorts what belongs to one run'
const ofOneOrganization = 'sorts what one organization has of what is bounded by number'
const first = 'begins at one end of the index, or of the table, and stops at its limit'
const ofOperators = 'the table has a few rows, all made by the operator'

export const exceptions: Record<string, string> = {
  'actors listTimers': 'sorts the timers of one actor',
  'actors nextTimer': first,
  'broadcasts findOldestBroadcast': first,
  'broadcasts listAudienceWithin': ofOneOrganization,
  'baselines takeBaseline': oneRow,
  'configuration-revisions readConfiguration': 'sorts what one Environment has: variables, Connections, settings',
  'configuration-revisions configurationUnchanged': 'sorts what one Environment has: variables, Connections, settings',
  'provider-credentials listAllCredentialVersions': ofOneOrganization,
  'device-authorizations insertDeviceAuthorization': 'counts what waits, which is bounded by number',
  'events findHistory': oneRow,
  'integrations listIntegrations': ofOneOrganization,
  'organizations findFirstOwner': oneRow,
  'organizations findOwnershipOfFirst': oneRow,
  'organizations oldestMembership': 'sorts the memberships of one user',
  'run-counts listUncounted': first,
  'run-removal slices 2': ofOneRun,
  'run-removal slices 9': ofOneRun,
  'run-tallies sumsOf': 'sums up two days of one organization',
  'run-tallies sumsOf 2': 'sums up two days of one organization',
  'run-tallies sumsOf 3': 'sums up two days of one organization',
  'run-tallies sumsOf 4': 'sums up two days of one organization',
  'run-tallies runTallies': first,
  'run-tallies runTallies 2': first,
  'runner-pools listExclusiveOrganizations': ofOperators,
  'runner-pools listRunnerPools': ofOneOrganization,
  'secrets getCanary': oneRow,
  'secrets listDataKeysBeside': 'a master key is changed seldom, and every data key is then looked at once',
  'steps listOpenSteps': ofOneRun,
  'steps listStepsOfKind': ofOneRun,
  'system-agents findInstallationOf': oneRow,
  'system-agents listDisabledSystemAgents': ofOperators,
  'texts listLooseTexts': first,
  'usage listShares': 'sorts the Agents, or the Projects, of one organization',
  'usage listShares 2': 'sorts the Agents, or the Projects, of one organization',
  'users anyUser': first,
  'users listOrganizationsOfUser': 'sorts the memberships of one user',
  'users listUnverifiedMembers': 'sorts as many accounts of one address as its limit says',
}
