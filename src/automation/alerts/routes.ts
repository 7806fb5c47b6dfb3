/** The routes of alert rules. */
import { Elysia } from 'elysia'
import { doc } from '../../platform/http/doc.ts'
import type { Naming } from '../../platform/http/guard/find.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { pageQuery } from '../../platform/http/pagination.ts'
import { dataOf, pageOf } from '../../platform/http/schema.ts'
import {
  AlertIncident,
  AlertRule,
  AlertRuleChanges,
  AlertRuleNow,
  AlertRulePath,
  AlertRulesQuery,
  AlertTest,
  NewAlertRule,
} from './schema.ts'
import { type AlertParts, Alerts } from './service.ts'

const resource = 'alertRule'

export function alertRoutes({ guarded, ...parts }: AlertParts & { guarded: Guarded }) {
  const alerts = new Alerts(parts)
  const find = ({ caller, params }: Naming<typeof AlertRulePath>) => alerts.find(caller, params.alertRuleId)
  const findToChange = ({ caller, params }: Naming<typeof AlertRulePath>) =>
    alerts.find(caller, params.alertRuleId, 'alerts:manage')
  return new Elysia({ name: 'alerts', prefix: '/api/v1/alert-rules', tags: ['Alerts'] })
    .use(guarded)
    .get('', ({ caller, query }) => alerts.list(caller, query), {
      permission: 'alerts:list',
      query: AlertRulesQuery,
      response: { 200: pageOf(AlertRule) },
      errors: ['not_found'],
      detail: doc('listAlertRules', 'List alert rules', 'The rules that the credential can read, newest first.'),
    })
    .post('', async ({ caller, body, record }) => ({ data: await alerts.create(caller, body, record) }), {
      permission: 'alerts:manage',
      resource,
      body: NewAlertRule,
      response: { 201: dataOf(AlertRule) },
      errors: ['limit_exceeded', 'not_found', 'deletion_in_progress', 'concurrent_change'],
      detail: doc(
        'createAlertRule',
        'Create an alert rule',
        'Watches one Environment (requires `alerts:manage` there) or the whole organization. The rule is evaluated now and ' +
          'then once a minute. When it fires and when it resolves, it notifies webhooks and members once each, as `notify` ' +
          'says. An organization can have up to 100 rules.',
      ),
    })
    .get('/:alertRuleId', async ({ caller, params }) => ({ data: await alerts.get(caller, params.alertRuleId) }), {
      permission: 'alerts:list',
      params: AlertRulePath,
      find,
      response: { 200: dataOf(AlertRuleNow) },
      detail: doc('getAlertRule', 'Get an alert rule', 'Includes the current measurement of its condition.'),
    })
    .patch(
      '/:alertRuleId',
      async ({ caller, params, body, record }) => ({
        data: await alerts.change(caller, params.alertRuleId, body, record),
      }),
      {
        permission: 'alerts:manage',
        resource,
        params: AlertRulePath,
        find: findToChange,
        body: AlertRuleChanges,
        response: { 200: dataOf(AlertRule) },
        errors: ['deletion_in_progress', 'concurrent_change'],
        detail: doc(
          'updateAlertRule',
          'Change an alert rule',
          'A new condition or new times reset the rule; if it is firing, it is resolved first. A disabled rule is not ' +
            'evaluated.',
        ),
      },
    )
    .delete(
      '/:alertRuleId',
      async ({ caller, params, record }) => ({ data: await alerts.remove(caller, params.alertRuleId, record) }),
      {
        permission: 'alerts:manage',
        resource,
        params: AlertRulePath,
        find: findToChange,
        response: { 200: dataOf(AlertRule) },
        errors: ['concurrent_change'],
        detail: doc(
          'deleteAlertRule',
          'Delete an alert rule',
          'Deletes the rule and its incidents. A firing rule is resolved first.',
        ),
      },
    )
    .post(
      '/:alertRuleId/test',
      async ({ caller, params, record }) => ({ data: await alerts.test(caller, params.alertRuleId, record) }),
      {
        permission: 'alerts:manage',
        resource,
        params: AlertRulePath,
        find: findToChange,
        response: { 200: dataOf(AlertTest) },
        errors: ['concurrent_change'],
        detail: doc(
          'testAlertRule',
          'Test an alert rule',
          'Records `alert.firing` with `test: true` and sends the mails of a firing rule. The state of the rule does not change.',
        ),
      },
    )
    .get(
      '/:alertRuleId/incidents',
      ({ caller, params, query }) => alerts.incidents(caller, params.alertRuleId, query),
      {
        permission: 'alerts:list',
        params: AlertRulePath,
        find,
        query: pageQuery,
        response: { 200: pageOf(AlertIncident) },
        detail: doc('listAlertIncidents', "List a rule's incidents", 'Newest first; the last 100 are kept.'),
      },
    )
}
