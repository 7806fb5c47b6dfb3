/** The schemas of the API. Generated from the API document by `bun sdk/generate.ts`: change nothing here. */

export interface components {
    schemas: {
        /**
         * @description The error code, for programs.
         * @enum {string}
         */
        ErrorCode: "malformed_request" | "validation_failed" | "unknown_parameter" | "url_not_allowed" | "connection_unusable" | "mcp_server_failed" | "unsupported_parameter" | "previous_response_not_latest" | "run_failed" | "run_canceled" | "unsupported_filter" | "invalid_cursor" | "cursor_expired" | "invalid_idempotency_key" | "idempotency_key_reused" | "idempotency_in_progress" | "unauthenticated" | "invalid_credentials" | "authorization_pending" | "session_expired" | "invalid_api_key" | "invalid_attempt_token" | "invalid_ticket" | "invalid_metrics_token" | "permission_denied" | "csrf_required" | "not_found" | "method_not_allowed" | "payload_too_large" | "attachment_too_large" | "unsupported_attachment" | "empty_input" | "invalid_subject" | "provider_unconfigured" | "invalid_model" | "run_awaiting_external_result" | "budget_exhausted" | "invalid_transition" | "stale_lease" | "lifecycle_mismatch" | "deletion_in_progress" | "agent_in_use" | "personal_organization" | "billing_active" | "contract_active" | "plan_not_found" | "no_contract" | "invalid_signature" | "billing_unconfigured" | "last_owner" | "already_member" | "account_exists" | "address_taken" | "address_verified" | "mail_unconfigured" | "slug_taken" | "name_taken" | "limit_exceeded" | "credential_in_use" | "variable_in_use" | "integration_not_found" | "integration_not_verified" | "invalid_return_to" | "binding_taken" | "connection_retained" | "setting_exists" | "integration_exists" | "integration_invalid_client" | "integration_redirect_uri_mismatch" | "integration_unexpected_response" | "preset_removed" | "provider_rate_limited" | "provider_unavailable" | "definition_in_use" | "unresolved_reference" | "delegate_cycle" | "run_busy" | "project_paused" | "environment_not_active" | "configuration_head_mismatch" | "deployment_not_ready" | "generation_mismatch" | "apply_in_progress" | "plan_has_issues" | "plan_changed" | "recovery_in_progress" | "secret_rotation_limit" | "stale_attempt" | "set_by_operator" | "no_active_deployment" | "request_key_mismatch" | "agent_not_deployed" | "concurrent_change" | "too_many_streams" | "rate_limited" | "damaged_record" | "schema_too_costly" | "schema_not_supported" | "too_large" | "internal_error" | "store_unavailable" | "service_unavailable";
        /** @description The body of every error. */
        PublicApiError: {
            error: {
                code: components["schemas"]["ErrorCode"];
                /** @description A description for people. */
                message: string;
                /** @description The id of the request, as in `X-Request-Id`. */
                requestId: string;
                /** @description `issues` with 422, `permission` with 403, `currentState` with conflicts. */
                details?: {
                    [key: string]: unknown;
                };
            };
        };
        /** @description The result of storing the events. */
        AcceptedEvents: {
            /** @description The number of events stored. */
            accepted: number;
        };
        AcceptedEventsAnswer: {
            data: components["schemas"]["AcceptedEvents"];
        };
        /** @description Permissions of a member or a user group in a Project, beyond their role. */
        AccessGrant: {
            id: components["schemas"]["AccessGrantId"];
            projectId: components["schemas"]["ProjectId"];
            subject: {
                /** @enum {string} */
                type: "user" | "userGroup";
                /**
                 * @description usr_… or ugr_…, of the same organization.
                 * @example usr_01h455vb4pex5vsknk084sn02q
                 */
                id: string;
            };
            /**
             * @description Expanded, without wildcards.
             * @example [
             *       "agent-runs:create"
             *     ]
             */
            permissions: string[];
            createdBy: {
                /** @enum {string} */
                type: "user" | "apiKey";
                id: string;
            };
            createdAt: components["schemas"]["Timestamp"];
        };
        AccessGrantAnswer: {
            data: components["schemas"]["AccessGrant"];
        };
        /**
         * @description The id of one `AccessGrant`: `grt_…`
         * @example grt_01h455vb4pex5vsknk084sn02q
         */
        AccessGrantId: string;
        AccessGrantPage: {
            data: {
                items: components["schemas"]["AccessGrant"][];
            };
            pagination: components["schemas"]["Pagination"];
        };
        /** @description The address of an account. */
        AccountAddress: {
            /** @description The address of the account, in lower case. */
            email: string;
            /** @description When it was verified; null if it was not. */
            verifiedAt: components["schemas"]["Timestamp"] | null;
            /** @description Whether the server can send mail to it. */
            mail: boolean;
        };
        AccountAddressAnswer: {
            data: components["schemas"]["AccountAddress"];
        };
        /** @description The decision that a Deployment serves in its Environment. */
        Activation: {
            id: components["schemas"]["ActivationId"];
            environmentId: components["schemas"]["EnvironmentId"];
            deploymentId: components["schemas"]["DeploymentId"];
            /** @description The Deployment that served before; null for the first Activation. */
            previousDeploymentId: string | null;
            /** @description The generation that the Activation created. */
            generation: number;
            createdBy: {
                /** @enum {string} */
                type: "user" | "apiKey";
                /** @description The id of that principal. */
                id: string;
            };
            createdAt: components["schemas"]["Timestamp"];
        };
        ActivationAnswer: {
            data: components["schemas"]["Activation"];
        };
        /** @description The active Deployment of the Environment has changed. */
        ActivationChangedEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "activation.changed";
            /** @description When the change was made. */
            timestamp: components["schemas"]["Timestamp"];
            /** @description 1, 2, 3 … for each Environment, without gaps. */
            sequence: number;
            organizationId: components["schemas"]["OrganizationId"];
            projectId: components["schemas"]["ProjectId"];
            environmentId: components["schemas"]["EnvironmentId"];
            /** @description The subject of the event. */
            subject: {
                /** @enum {string} */
                type: "agentRun" | "deployment" | "environment" | "operationInvocation" | "operationApproval" | "entity" | "systemAgent" | "workflowRun" | "agentJob" | "webhook" | "organization" | "alertRule";
                /** @description Its id. */
                id: string;
            };
            /** @description Who caused the event. */
            actor: {
                /** @enum {string} */
                type: "user" | "apiKey" | "system" | "runner" | "agentJob" | "workflow";
                /** @description Its id. */
                id: string;
            };
            data: {
                deploymentId: components["schemas"]["DeploymentId"] | null;
                previousDeploymentId: components["schemas"]["DeploymentId"] | null;
                /** @description The generation of the Activation. */
                generation: number;
            };
        };
        /**
         * @description The id of one `Activation`: `act_…`
         * @example act_01h455vb4pex5vsknk084sn02q
         */
        ActivationId: string;
        ActivationPage: {
            data: {
                items: components["schemas"]["Activation"][];
            };
            pagination: components["schemas"]["Pagination"];
        };
        /** @description The state of one resource in its statechart. */
        Actor: {
            address: {
                /**
                 * @description The kind of actor.
                 * @example run
                 */
                kind: string;
                id: string;
            };
            machineVersion: string;
            state: string;
            /** @description Grows with every stored change. */
            version: number;
            /** @description The context of the statechart, without secrets. */
            context: {
                [key: string]: unknown;
            };
            /** @description The deadlines that run. */
            timers: {
                event: string;
                dueAt: components["schemas"]["Timestamp"];
            }[];
            /** @description Events that the state has a row for; a guard may still refuse. */
            nextEvents: string[];
            /** @description The last ones, ascending. */
            journal: components["schemas"]["Transition"][];
        };
        ActorAnswer: {
            data: components["schemas"]["Actor"];
        };
        /** @description An event of the stream of an actor. */
        ActorEvent: {
            /** @constant */
            event: "actor.snapshot";
            /** @description For `Last-Event-ID`. */
            id: string;
            data: components["schemas"]["Actor"];
        } | {
            /** @constant */
            event: "actor.transition";
            /** @description For `Last-Event-ID`. */
            id: string;
            data: {
                /** @description 1, 2, 3 … without gaps. */
                sequence: number;
                /** @description The state before; null at creation. */
                from: string | null;
                /** @description The state after; equal to `from` if unchanged. */
                to: string;
                /** @description The event that caused the transition. */
                event: string;
                actor: {
                    /** @enum {string} */
                    type: "user" | "apiKey" | "system" | "runner" | "agentJob" | "workflow";
                    id: string;
                };
                attempt: number;
                reason: {
                    code: string;
                    message: string;
                } | null;
                at: components["schemas"]["Timestamp"];
                /** @description Events that the state has a row for; a guard may still refuse. */
                nextEvents: string[];
                /** @description The deadlines that run. */
                timers: {
                    event: string;
                    dueAt: components["schemas"]["Timestamp"];
                }[];
            };
        } | {
            /** @constant */
            event: "end";
            /** @description For `Last-Event-ID`. */
            id: string;
            data: {
                sequence: number;
                state: string;
            };
        } | {
            /** @constant */
            event: "end";
            data: {
                /** @constant */
                reason: "revoked";
                at: components["schemas"]["Timestamp"];
            };
        };
        /** @description The steps to simulate. */
        ActorSimulationRequest: {
            /**
             * @description A copy of the actor as it is, unless given; or a new one, by the same statechart.
             * @enum {string}
             */
            from?: "now" | "start";
            /** @description The initial time of the clock; the current time by default. Deadlines that are due by then fire with the first step. */
            at?: components["schemas"]["Timestamp"];
            /**
             * @description Fields of the context to begin with, instead of those of the copy.
             * @example {
             *       "retriesLeft": 0
             *     }
             */
            context?: {
                [key: string]: unknown;
            };
            /** @description The random value for jitter; 0 by default. */
            chance?: number;
            /** @description The creation event of the statechart, whose guard is evaluated. Omitted: the first one, and its guard passes. Only for a simulation from the start. */
            birth?: {
                /**
                 * @description The event, with whatever fields it has.
                 * @example {
                 *       "type": "cancel"
                 *     }
                 */
                event: string | ({
                    type: string;
                } & {
                    [key: string]: unknown;
                });
                /**
                 * @description Results of guards by name; guards that are named here are not evaluated.
                 * @example {
                 *       "retriesLeft": false
                 *     }
                 */
                assume?: {
                    [key: string]: boolean;
                };
            };
            /** @description Applied to the copy in this order. */
            steps: components["schemas"]["SimulationStep"][];
        };
        /** @description An actor, in short. */
        ActorSummary: {
            /**
             * @description The kind of actor.
             * @example run
             */
            kind: string;
            /** @description The id of the resource. */
            id: string;
            /**
             * @description A state of the statechart.
             * @example running
             */
            state: string;
            /** @description When it entered the state. */
            since: components["schemas"]["Timestamp"];
            projectId: components["schemas"]["ProjectId"] | null;
            environmentId: components["schemas"]["EnvironmentId"] | null;
        };
        ActorSummaryPage: {
            data: {
                items: components["schemas"]["ActorSummary"][];
            };
            pagination: components["schemas"]["Pagination"];
        };
        /** @description Whether the journal leads to the stored state. */
        ActorVerification: {
            valid: boolean;
            storedState: string;
            /** @description The state at which the replay ended or failed. */
            replayedState: string | null;
            /** @description The problem and its place. */
            problem: string | null;
        };
        ActorVerificationAnswer: {
            data: components["schemas"]["ActorVerification"];
        };
        /** @description The identity of an Agent; what it does is in its revisions. */
        Agent: {
            id: components["schemas"]["AgentId"];
            projectId: components["schemas"]["ProjectId"];
            /**
             * @description Unique in the Project.
             * @example support-desk
             */
            slug: string;
            /** @example Support desk */
            name: string;
            description: string | null;
            /**
             * @description Whether it is being deleted.
             * @enum {string}
             */
            status: "active" | "deleting";
            deletion?: components["schemas"]["DeletionProgress"];
            /** @description The revision with the highest number; null before the first. */
            latestRevisionId: components["schemas"]["AgentRevisionId"] | null;
            createdAt: components["schemas"]["Timestamp"];
            /** @description When the name, the description or the latest revision changed. */
            updatedAt: components["schemas"]["Timestamp"];
        };
        AgentAnswer: {
            data: components["schemas"]["Agent"];
        };
        /** @description An Agent that is not pinned as it was. */
        AgentChange: {
            /**
             * @description Its slug, or its id where it has been deleted.
             * @example clerk
             */
            name: string;
            /**
             * @description What has become of it.
             * @enum {string}
             */
            change: "added" | "removed" | "changed";
            before: {
                agentId: components["schemas"]["AgentId"];
                agentRevisionId: components["schemas"]["AgentRevisionId"];
                /** @description Its number; null where it has been deleted. */
                number: number | null;
            } | null;
            after: {
                agentId: components["schemas"]["AgentId"];
                agentRevisionId: components["schemas"]["AgentRevisionId"];
                /** @description Its number; null where it has been deleted. */
                number: number | null;
            } | null;
            /** @description Of a changed one; at most 100. Differences in order alone are not listed. */
            differences: components["schemas"]["Difference"][];
            /** @description Granted operations, of one that is changed and that the credential may read. */
            grants: {
                added: string[];
                removed: string[];
            };
            /** @description For a changed one: the delegates whose Agent differs. */
            delegates: {
                /**
                 * @description The name of the delegate.
                 * @example researcher
                 */
                name: string;
                /**
                 * @description The slug of the Agent behind it.
                 * @example clerk
                 */
                before: string | null;
                /**
                 * @description The slug of the Agent behind it.
                 * @example clerk
                 */
                after: string | null;
            }[];
        };
        /** @description The fields to change; revisions are immutable. */
        AgentChanges: {
            /** @description Name */
            name?: string;
            /** @description Null removes it. */
            description?: string | null;
        };
        /** @description The content of an Agent: instructions, model, tools, delegates. It contains no secrets. */
        AgentContent: {
            /** @description The instructions of the Agent. */
            instructions: string;
            /** @description The model that the author has in mind; a run and a provider setting go before it. */
            model?: {
                /**
                 * @description Default: the platform default.
                 * @enum {string}
                 */
                provider?: "anthropic" | "openai" | "google" | "mistral" | "xai" | "groq" | "deepseek" | "cohere";
                /** @description A model of the provider. */
                model?: string;
                /** @description The limit of the model's reasoning: tokens, or a level. */
                reasoningBudget?: number | ("low" | "medium" | "high");
                /** @description Additional text for the model. */
                settings?: {
                    /** @description Sampling temperature. */
                    temperature?: number;
                    /** @description Nucleus sampling: the probability mass to sample from. */
                    topP?: number;
                    /** @description The number of most likely tokens to sample from. */
                    topK?: number;
                    /** @description The most output tokens of one step. */
                    maxOutputTokens?: number;
                    /** @description Sequences that end the output. */
                    stopSequences?: string[];
                    /** @description Seed for reproducible output, if the vendor supports it. */
                    seed?: number;
                    /** @description Penalty for tokens that have already occurred. */
                    presencePenalty?: number;
                    /** @description Penalty for tokens by how often they have occurred. */
                    frequencyPenalty?: number;
                };
            };
            /** @description The tools of the model. */
            tools?: components["schemas"]["AgentTool"][];
            /** @description The delegates of the model. */
            delegates?: components["schemas"]["AgentDelegate"][];
            /** @description What the run's output must match. JSON Schema, draft 2020-12 unless `$schema` says. */
            outputSchema?: {
                [key: string]: unknown;
            };
            /** @description The maximum number of model steps of a run. Default: 20. */
            maxSteps?: number;
            limits?: components["schemas"]["RunLimits"];
            /** @description The presentation of the Agent for its users. */
            presentation?: {
                /** @description The name of the Agent for its users. */
                displayName?: string;
                /** @description What it says first. */
                greeting?: string;
                /** @description Suggested queries. */
                suggestedQueries?: string[];
            };
            /** @description Connections and variables that it needs. */
            bindings?: {
                /**
                 * @description The Agent's name for it. Unique among its bindings.
                 * @example shop
                 */
                bindingKey: string;
                /**
                 * @description What is to be bound.
                 * @enum {string}
                 */
                kind: "connection" | "variable";
                /**
                 * @description With `kind: connection` only.
                 * @enum {string}
                 */
                connectionKind?: "http" | "database" | "object_storage" | "messaging" | "custom";
                /** @description Whether a Deployment without it fails. */
                required: boolean;
            }[];
            /** @description Notes of the author. */
            metadata?: {
                [key: string]: unknown;
            };
        };
        /** @description Another Agent, or an external party, that takes on a part of the work. */
        AgentDelegate: {
            /**
             * @description The model's name for it. Unique among the tools and delegates of the Agent.
             * @example look_up_order
             */
            name: string;
            /** @description The kind of work for this delegate, for the model. */
            description: string;
            /** @description An Agent of the same Project. */
            agentId: components["schemas"]["AgentId"];
        } | {
            /**
             * @description The model's name for it. Unique among the tools and delegates of the Agent.
             * @example look_up_order
             */
            name: string;
            /** @description The kind of work for this delegate, for the model. */
            description: string;
            /**
             * @description The slug of an Agent of the same Project, in place of its id.: 1 to 63 lower-case letters, digits and inner hyphens.
             * @example support-desk
             */
            agent: string;
        } | {
            /**
             * @description The model's name for it. Unique among the tools and delegates of the Agent.
             * @example look_up_order
             */
            name: string;
            /** @description The kind of work for this delegate, for the model. */
            description: string;
            /** @constant */
            external: true;
        };
        /**
         * @description The id of one `Agent`: `agt_…`
         * @example agt_01h455vb4pex5vsknk084sn02q
         */
        AgentId: string;
        /** @description A query that is sent to an Agent, or a workflow that is started on its behalf, on a schedule. */
        AgentJob: {
            id: components["schemas"]["AgentJobId"];
            environmentId: components["schemas"]["EnvironmentId"];
            agentId: components["schemas"]["AgentId"];
            /** @description Name */
            name: string;
            schedule: {
                /**
                 * @description Minute, hour, day of the month, month, day of the week: numbers and names, with `*`, lists, ranges and steps. If both kinds of days are given, either one matches.
                 * @example 30 7 * * MON-FRI
                 */
                cron: string;
                /**
                 * @description IANA time zone.
                 * @example Europe/Berlin
                 */
                timezone: string;
            };
            /** @description The query sent to the Agent at each tick. null: it starts a workflow. */
            query: string | null;
            /**
             * @description The workflow that each tick starts, by name.
             * @example refund-order
             */
            workflow: string | null;
            /** @description The params of the workflow: at most 100,000 characters as JSON. Each tick checks them. */
            params: {
                [key: string]: unknown;
            } | null;
            /** @description Whether it runs on its schedule. */
            enabled: boolean;
            /** @description The next tick; null while disabled. */
            nextRunAt: components["schemas"]["Timestamp"] | null;
            /** @description The last ticks, latest first. */
            lastFirings: components["schemas"]["AgentJobFiring"][];
            /**
             * @description The rule for a tick while a run of the job is active: `skip` it, or `allow` another run.
             * @enum {string}
             */
            overlap: "skip" | "allow";
            createdAt: components["schemas"]["Timestamp"];
            /** @description The last change by a client; ticks do not count. */
            updatedAt: components["schemas"]["Timestamp"];
        };
        AgentJobAnswer: {
            data: components["schemas"]["AgentJob"];
        };
        /** @description The fields to change. */
        AgentJobChanges: {
            /** @description Name */
            name?: string;
            schedule?: {
                /**
                 * @description Minute, hour, day of the month, month, day of the week: numbers and names, with `*`, lists, ranges and steps. If both kinds of days are given, either one matches.
                 * @example 30 7 * * MON-FRI
                 */
                cron?: string;
                /**
                 * @description IANA time zone.
                 * @example Europe/Berlin
                 */
                timezone?: string;
            };
            /** @description The query sent to the Agent at each tick. Replaces the workflow. */
            query?: string;
            /**
             * @description The workflow, by name or id. Replaces the query.
             * @example refund-order
             */
            workflow?: string;
            /** @description The params of the workflow: at most 100,000 characters as JSON. Each tick checks them. */
            params?: {
                [key: string]: unknown;
            };
            /** @description Whether it runs on its schedule. */
            enabled?: boolean;
            /**
             * @description The rule for a tick while a run of the job is active: `skip` it, or `allow` another run.
             * @enum {string}
             */
            overlap?: "skip" | "allow";
        };
        /** @description The outcome of a tick. */
        AgentJobFiring: {
            /** @description The planned time. */
            scheduledFor: components["schemas"]["Timestamp"];
            /** @description When the server handled it. */
            firedAt: components["schemas"]["Timestamp"];
            /**
             * @description `missed`: the server was down until a later tick was due or an hour had passed; `failed`: the run could not be started.
             * @enum {string}
             */
            outcome: "started" | "skipped_overlap" | "missed" | "failed";
            agentRunId: components["schemas"]["AgentRunId"] | null;
            /** @description The run of the workflow, if the job starts one. */
            workflowRunId: components["schemas"]["WorkflowRunId"] | null;
        };
        /**
         * @description The id of one `AgentJob`: `job_…`
         * @example job_01h455vb4pex5vsknk084sn02q
         */
        AgentJobId: string;
        AgentJobPage: {
            data: {
                items: components["schemas"]["AgentJob"][];
            };
            pagination: components["schemas"]["Pagination"];
        };
        /** @description The run of the Agent or, with a `workflowRunId`, of the workflow. */
        AgentJobRun: components["schemas"]["AgentRun"] | components["schemas"]["WorkflowRun"];
        AgentJobRunAnswer: {
            data: components["schemas"]["AgentJobRun"];
        };
        AgentPage: {
            data: {
                items: components["schemas"]["Agent"][];
            };
            pagination: components["schemas"]["Pagination"];
        };
        /** @description An Agent as it is in one of its revisions. */
        AgentPin: {
            agentId: components["schemas"]["AgentId"];
            agentRevisionId: components["schemas"]["AgentRevisionId"];
        };
        /** @description The presentation of an Agent to people. */
        AgentPresentation: {
            agentId: components["schemas"]["AgentId"];
            agentRevisionId: components["schemas"]["AgentRevisionId"];
            deploymentId: components["schemas"]["DeploymentId"];
            /** @description The name in the revision, else the Agent's name. */
            displayName: string;
            /** @description The first message of the Agent. */
            greeting: string | null;
            /** @description Queries to suggest to people. */
            suggestedQueries: string[];
        };
        AgentPresentationAnswer: {
            data: components["schemas"]["AgentPresentation"];
        };
        /** @description The immutable content of an Agent. */
        AgentRevision: {
            id: components["schemas"]["AgentRevisionId"];
            agentId: components["schemas"]["AgentId"];
            /** @description 1, 2, 3 … for each Agent. */
            number: number;
            content: components["schemas"]["AgentContent"];
            /**
             * @description SHA-256 of the RFC 8785 form of `content`.
             * @example sha256:0000000000000000000000000000000000000000000000000000000000000000
             */
            contentDigest: string;
            /** @description The grants of runs of the revision: permission names, and `<definition>.<operation>` for operations. */
            grantedOperations: string[];
            createdBy: {
                /** @enum {string} */
                type: "user" | "apiKey";
                /** @description The id of that principal. */
                id: string;
            };
            createdAt: components["schemas"]["Timestamp"];
        };
        AgentRevisionAnswer: {
            data: components["schemas"]["AgentRevision"];
        };
        /**
         * @description The id of one `AgentRevision`: `agr_…`
         * @example agr_01h455vb4pex5vsknk084sn02q
         */
        AgentRevisionId: string;
        AgentRevisionPage: {
            data: {
                items: components["schemas"]["AgentRevision"][];
            };
            pagination: components["schemas"]["Pagination"];
        };
        /** @description A preview of an Agent's revision. */
        AgentRevisionPreview: {
            /**
             * @description The digest that the revision would have.
             * @example sha256:0000000000000000000000000000000000000000000000000000000000000000
             */
            contentDigest: string;
            /** @description Whether the latest revision has the same content and the same grants. */
            isLatest: boolean;
        };
        AgentRevisionPreviewAnswer: {
            data: components["schemas"]["AgentRevisionPreview"];
        };
        /** @description One run of an agent. */
        AgentRun: {
            id: components["schemas"]["AgentRunId"];
            organizationId: components["schemas"]["OrganizationId"];
            /** @description Null for runs of System Agents. */
            projectId: string | null;
            /** @description Null for runs of System Agents. */
            environmentId: string | null;
            /** @description The Deployment that was active at admission. */
            deploymentId: string | null;
            /** @example agt_system_assistant */
            agentId: string;
            /** @description Fixed at admission. */
            agentRevisionId: string;
            /** @description The job that started it, if one did. */
            agentJobId: string | null;
            /** @description Who started the run. */
            createdBy: {
                /** @enum {string} */
                type: "user" | "apiKey" | "agentJob" | "workflow" | "system";
                id: string;
            };
            /** @description The user on whose behalf the run acts. */
            subjectUserId: string | null;
            /** @description The client's key of the conversation that the run is. */
            threadKey: string | null;
            /** @description The run that it was forked from, and at which of its checkpoints. */
            forkedFrom?: {
                agentRunId: components["schemas"]["AgentRunId"];
                /** @description 0: its input. */
                checkpointId: number;
            };
            /** @description The messages that wait for their turns, next first. */
            queuedInputs: {
                /** @description 1, 2, 3 … within the run. */
                inputId: number;
                /** @description The first 200 characters; null for attachments alone. */
                query: string | null;
                createdAt: components["schemas"]["Timestamp"];
            }[];
            state: components["schemas"]["AgentRunState"];
            stateReason: components["schemas"]["Failure"] | null;
            /**
             * @description The reason why the model stopped; null unless the run is completed.
             * @enum {string|null}
             */
            stopReason: "end_turn" | "max_steps" | "max_output_tokens" | "content_filter" | null;
            /** @description The cost of its model steps so far; null before the first, if one has no price or another currency, and for runs from before the server had prices. */
            cost: components["schemas"]["Cost"] | null;
            limits?: components["schemas"]["RunLimits"];
            /** @description Input and output tokens of its model steps so far; counted with limits, and with prices. */
            usedTokens?: number;
            /** @description Attempts so far; 0 at admission, never reset. */
            attempt: number;
            /** @description 1 at admission, one more with each accepted continue. */
            turn?: number;
            /**
             * @description SHA-256 of the canonical JSON (RFC 8785) of `{query, contents}`.
             * @example sha256:0000000000000000000000000000000000000000000000000000000000000000
             */
            inputDigest: string;
            /**
             * @description SHA-256 of the canonical JSON of the output.
             * @example sha256:0000000000000000000000000000000000000000000000000000000000000000
             */
            outputDigest: string | null;
            /** @description The version of Troupe that admitted the run. */
            runtimeVersion: string;
            contentRetention: {
                /** @enum {string} */
                policy: "standard";
                /** @description When the content of the run is removed, if it has ended; the record stays. */
                expiresAt: components["schemas"]["Timestamp"];
                /** @description When it was removed: the output is null since then. */
                removedAt?: components["schemas"]["Timestamp"];
            };
            lastActivity?: {
                kind: string;
                at: components["schemas"]["Timestamp"];
            };
            /** @description The requested start, if it was put off; its time in the queue counts from then. */
            startAt?: components["schemas"]["Timestamp"];
            /** @description For a queued run, the earliest start of the next attempt; in the future before `startAt`, and after a lost attempt. */
            availableAt?: components["schemas"]["Timestamp"];
            /** @description The first call that the run waits for, and all of them. */
            awaiting?: {
                /**
                 * @description Who provides the result: `tool` the client, by continuing the run; `delegate` an external delegate; `agentRun` the run of another Agent; `worker` a worker of an operation that may take long; `operation` an approved call, which the server makes; `workflow` the run of a workflow; `approval` a person who approves the call; `connection` a person who connects an account.
                 * @enum {string}
                 */
                kind: "tool" | "delegate" | "agentRun" | "worker" | "operation" | "workflow" | "approval" | "connection";
                /** @description The name of the tool or delegate. */
                toolName: string;
                /** @description Identifies the call in a result. */
                toolCallId: string;
                /** @description The input of the call. */
                input: unknown;
                /** @description The invocation, for a call of an operation. The run resumes when it ends. */
                invocationId?: components["schemas"]["OperationInvocationId"];
                /** @description The approval that the call waits for; none once it was decided. */
                approvalId?: components["schemas"]["OperationApprovalId"];
                /** @description The workflow run, for a tool that runs a workflow. The run resumes when it ends. */
                workflowRunId?: components["schemas"]["WorkflowRunId"];
                /** @description Every call without a result. */
                pending: {
                    /**
                     * @description Who provides the result: `tool` the client, by continuing the run; `delegate` an external delegate; `agentRun` the run of another Agent; `worker` a worker of an operation that may take long; `operation` an approved call, which the server makes; `workflow` the run of a workflow; `approval` a person who approves the call; `connection` a person who connects an account.
                     * @enum {string}
                     */
                    kind: "tool" | "delegate" | "agentRun" | "worker" | "operation" | "workflow" | "approval" | "connection";
                    /** @description The name of the tool or delegate. */
                    toolName: string;
                    /** @description Identifies the call in a result. */
                    toolCallId: string;
                    /** @description The input of the call. */
                    input: unknown;
                    /** @description The invocation, for a call of an operation. The run resumes when it ends. */
                    invocationId?: components["schemas"]["OperationInvocationId"];
                    /** @description The approval that the call waits for; none once it was decided. */
                    approvalId?: components["schemas"]["OperationApprovalId"];
                    /** @description The workflow run, for a tool that runs a workflow. The run resumes when it ends. */
                    workflowRunId?: components["schemas"]["WorkflowRunId"];
                }[];
            };
            /** @description With `include=output`: the answer; null unless the run is completed and has it still. */
            output?: {
                /** @description The output as text. */
                text: string;
                /** @description The structured output, if the Agent has an `outputSchema`. */
                value?: unknown;
            } | null;
            summary?: components["schemas"]["AgentRunSummary"];
            createdAt: components["schemas"]["Timestamp"];
            updatedAt: components["schemas"]["Timestamp"];
            /** @description When the run was first running. */
            startedAt: components["schemas"]["Timestamp"] | null;
            /** @description When it reached a terminal state. */
            endedAt: components["schemas"]["Timestamp"] | null;
        };
        AgentRunAnswer: {
            data: components["schemas"]["AgentRun"];
        };
        /** @description An event of the stream of changes of runs. */
        AgentRunChangesEvent: {
            /** @constant */
            event: "runs.changed";
            data: {
                agentRunIds: components["schemas"]["AgentRunId"][];
                gap: boolean;
            };
        } | {
            /** @constant */
            event: "end";
            data: {
                /** @constant */
                reason: "revoked";
                at: components["schemas"]["Timestamp"];
            };
        };
        /** @description How to continue the run. */
        AgentRunContinuation: {
            /**
             * @description The next message; while the run waits for a tool its result, as JSON or text. Several results: `{"toolResults": [{"toolCallId", "result"}]}`.
             * @example And in 200 days?
             */
            query: string;
            /**
             * @description If omitted, the platform default. A named provider uses a credential of the organization only.
             * @enum {string}
             */
            provider?: "anthropic" | "openai" | "google" | "mistral" | "xai" | "groq" | "deepseek" | "cohere";
            /** @description The name of a model of the provider. */
            model?: string;
            /** @description The reasoning budget: a number of tokens, or a level. */
            reasoningBudget?: number | ("low" | "medium" | "high");
            /** @description Retries after the first attempt. Default at a start: 2. */
            maxRetries?: number;
        };
        /** @description An event of the stream of a run. */
        AgentRunEvent: {
            /** @constant */
            event: "run.snapshot";
            /** @description For `Last-Event-ID`. */
            id: string;
            data: {
                /** @description 1, 2, 3 … over attempts and continues. */
                sequence: number;
                at: components["schemas"]["Timestamp"];
                attempt: number;
                /** @description The step that it is about. */
                agentStepId?: number;
                data: {
                    run: components["schemas"]["AgentRun"];
                    openSteps: components["schemas"]["AgentStep"][];
                    lastSequence: number;
                    /** @description Whether events are missing before it. */
                    gap: boolean;
                };
            };
        } | {
            /** @constant */
            event: "run.transition";
            /** @description For `Last-Event-ID`. */
            id: string;
            data: {
                /** @description 1, 2, 3 … over attempts and continues. */
                sequence: number;
                at: components["schemas"]["Timestamp"];
                attempt: number;
                /** @description The step that it is about. */
                agentStepId?: number;
                data: components["schemas"]["RunTransition"];
            };
        } | {
            /** @constant */
            event: "step.started";
            /** @description For `Last-Event-ID`. */
            id: string;
            data: {
                /** @description 1, 2, 3 … over attempts and continues. */
                sequence: number;
                at: components["schemas"]["Timestamp"];
                attempt: number;
                /** @description The step that it is about. */
                agentStepId?: number;
                data: components["schemas"]["AgentStep"];
            };
        } | {
            /** @constant */
            event: "step.delta";
            /** @description For `Last-Event-ID`. */
            id: string;
            data: {
                /** @description 1, 2, 3 … over attempts and continues. */
                sequence: number;
                at: components["schemas"]["Timestamp"];
                attempt: number;
                /** @description The step that it is about. */
                agentStepId?: number;
                data: {
                    kind: "text" | "reasoning" | "toolInput";
                    text: string;
                    /** @description With `toolInput`. */
                    toolCallId?: string;
                    /** @description With `toolInput`. */
                    toolName?: string;
                };
            };
        } | {
            /** @constant */
            event: "step.completed";
            /** @description For `Last-Event-ID`. */
            id: string;
            data: {
                /** @description 1, 2, 3 … over attempts and continues. */
                sequence: number;
                at: components["schemas"]["Timestamp"];
                attempt: number;
                /** @description The step that it is about. */
                agentStepId?: number;
                data: components["schemas"]["AgentStep"];
            };
        } | {
            /** @constant */
            event: "step.failed";
            /** @description For `Last-Event-ID`. */
            id: string;
            data: {
                /** @description 1, 2, 3 … over attempts and continues. */
                sequence: number;
                at: components["schemas"]["Timestamp"];
                attempt: number;
                /** @description The step that it is about. */
                agentStepId?: number;
                data: components["schemas"]["AgentStep"];
            };
        } | {
            /** @constant */
            event: "checkpoint.created";
            /** @description For `Last-Event-ID`. */
            id: string;
            data: {
                /** @description 1, 2, 3 … over attempts and continues. */
                sequence: number;
                at: components["schemas"]["Timestamp"];
                attempt: number;
                /** @description The step that it is about. */
                agentStepId?: number;
                data: components["schemas"]["Checkpoint"];
            };
        } | {
            /** @constant */
            event: "input.requested";
            /** @description For `Last-Event-ID`. */
            id: string;
            data: {
                /** @description 1, 2, 3 … over attempts and continues. */
                sequence: number;
                at: components["schemas"]["Timestamp"];
                attempt: number;
                /** @description The step that it is about. */
                agentStepId?: number;
                /** @description The first call that the run waits for, and all of them. */
                data: {
                    /**
                     * @description Who provides the result: `tool` the client, by continuing the run; `delegate` an external delegate; `agentRun` the run of another Agent; `worker` a worker of an operation that may take long; `operation` an approved call, which the server makes; `workflow` the run of a workflow; `approval` a person who approves the call; `connection` a person who connects an account.
                     * @enum {string}
                     */
                    kind: "tool" | "delegate" | "agentRun" | "worker" | "operation" | "workflow" | "approval" | "connection";
                    /** @description The name of the tool or delegate. */
                    toolName: string;
                    /** @description Identifies the call in a result. */
                    toolCallId: string;
                    /** @description The input of the call. */
                    input: unknown;
                    /** @description The invocation, for a call of an operation. The run resumes when it ends. */
                    invocationId?: components["schemas"]["OperationInvocationId"];
                    /** @description The approval that the call waits for; none once it was decided. */
                    approvalId?: components["schemas"]["OperationApprovalId"];
                    /** @description The workflow run, for a tool that runs a workflow. The run resumes when it ends. */
                    workflowRunId?: components["schemas"]["WorkflowRunId"];
                    /** @description Every call without a result. */
                    pending: {
                        /**
                         * @description Who provides the result: `tool` the client, by continuing the run; `delegate` an external delegate; `agentRun` the run of another Agent; `worker` a worker of an operation that may take long; `operation` an approved call, which the server makes; `workflow` the run of a workflow; `approval` a person who approves the call; `connection` a person who connects an account.
                         * @enum {string}
                         */
                        kind: "tool" | "delegate" | "agentRun" | "worker" | "operation" | "workflow" | "approval" | "connection";
                        /** @description The name of the tool or delegate. */
                        toolName: string;
                        /** @description Identifies the call in a result. */
                        toolCallId: string;
                        /** @description The input of the call. */
                        input: unknown;
                        /** @description The invocation, for a call of an operation. The run resumes when it ends. */
                        invocationId?: components["schemas"]["OperationInvocationId"];
                        /** @description The approval that the call waits for; none once it was decided. */
                        approvalId?: components["schemas"]["OperationApprovalId"];
                        /** @description The workflow run, for a tool that runs a workflow. The run resumes when it ends. */
                        workflowRunId?: components["schemas"]["WorkflowRunId"];
                    }[];
                };
            };
        } | {
            /** @constant */
            event: "budget.warning";
            /** @description For `Last-Event-ID`. */
            id: string;
            data: {
                /** @description 1, 2, 3 … over attempts and continues. */
                sequence: number;
                at: components["schemas"]["Timestamp"];
                attempt: number;
                /** @description The step that it is about. */
                agentStepId?: number;
                data: {
                    /** @constant */
                    percent: 80;
                    limits: components["schemas"]["RunLimits"];
                    usedTokens: number;
                    cost: components["schemas"]["Cost"] | null;
                };
            };
        } | {
            /** @constant */
            event: "end";
            /** @description For `Last-Event-ID`. */
            id: string;
            data: {
                /** @description 1, 2, 3 … over attempts and continues. */
                sequence: number;
                at: components["schemas"]["Timestamp"];
                attempt: number;
                /** @description The step that it is about. */
                agentStepId?: number;
                data: components["schemas"]["AgentRun"];
            };
        } | {
            /** @constant */
            event: "end";
            data: {
                /** @constant */
                reason: "revoked";
                at: components["schemas"]["Timestamp"];
            };
        };
        /**
         * @description The id of one `AgentRun`: `run_…`
         * @example run_01h455vb4pex5vsknk084sn02q
         */
        AgentRunId: string;
        AgentRunPage: {
            agentRuns: components["schemas"]["AgentRun"][];
            pagination: components["schemas"]["Pagination"];
        };
        /**
         * @description The lifecycle state.
         * @enum {string}
         */
        AgentRunState: "queued" | "acquiring" | "starting" | "running" | "awaitingToolResult" | "awaitingDelegateResult" | "canceling" | "completed" | "failed" | "canceled" | "expired";
        /** @description Counts of ended runs by time and state, with their durations. */
        AgentRunStatistics: {
            /** @description The start of the first interval. */
            from: components["schemas"]["Timestamp"];
            /** @description The end of the last interval. */
            to: components["schemas"]["Timestamp"];
            /**
             * @description The interval length; days are in UTC.
             * @enum {string}
             */
            interval: "hour" | "day";
            /** @description All intervals, in order. */
            buckets: components["schemas"]["RunTally"][];
            /** @description The cost of model steps that ended in this interval; null without any, if one had no price, or if currencies differ. */
            cost: components["schemas"]["Cost"] | null;
            /** @description The same by currency, whatever steps had no price. */
            costs: components["schemas"]["Cost"][];
            /** @description Model steps that ended while the server had prices. */
            modelSteps: number;
            /** @description Those without a price. */
            unpricedSteps: number;
            /** @description Their input tokens. */
            inputTokens: number;
            /** @description Their output tokens. */
            outputTokens: number;
            /** @description With `by`: the most expensive first; at most 1,000. */
            items?: components["schemas"]["CostShare"][];
            /** @description The sums of all intervals. */
            totals: {
                /** @description Runs that ended as `completed`. */
                completed: number;
                /** @description Runs that ended as `failed`. */
                failed: number;
                /** @description Runs that ended as `canceled`. */
                canceled: number;
                /** @description Runs that ended as `expired`. */
                expired: number;
            };
            /** @description The time from admission, or from the time of a later start or the latest continue, to the start of work. Estimates: each is off by less than the width of its bucket, between two powers of two milliseconds. null without measurements. */
            queueTime: components["schemas"]["RunTimes"];
            /** @description The time from the start of work to the end, including waits for results. Estimates: each is off by less than the width of its bucket, between two powers of two milliseconds. null without measurements. */
            workTime: components["schemas"]["RunTimes"];
            /** @description Active runs now. */
            current: {
                /** @description Runs that are `queued`. */
                queued: number;
                /** @description Runs that are `acquiring`. */
                acquiring: number;
                /** @description Runs that are `starting`. */
                starting: number;
                /** @description Runs that are `running`. */
                running: number;
                /** @description Runs that are `awaitingToolResult`. */
                awaitingToolResult: number;
                /** @description Runs that are `awaitingDelegateResult`. */
                awaitingDelegateResult: number;
                /** @description Runs that are `canceling`. */
                canceling: number;
                /** @description When the longest-waiting queued run became available; null if none is queued. */
                oldestQueuedAt: components["schemas"]["Timestamp"] | null;
            };
        };
        AgentRunStatisticsAnswer: {
            data: components["schemas"]["AgentRunStatistics"];
        };
        /** @description With `include=summary`: what distinguishes the runs of a list. */
        AgentRunSummary: {
            /** @description The first 200 characters of its first message; null for attachments alone, and once the content was removed. Absent without the permission `agent-runs:steps:get`. */
            query?: string | null;
            /** @description The provider of the model. */
            provider: string | null;
            /** @description The model that it was last bound to. */
            model: string | null;
            /** @description Of all its attempts so far; null if they are too many for one page. */
            tokenUsage: {
                inputTokens: number;
                outputTokens: number;
                totalTokens: number;
                cachedInputTokens: number;
                reasoningTokens: number;
            } | null;
        };
        /** @description A step of a run; root steps are the attempts. */
        AgentStep: {
            /** @description Unique on the server; it does not determine the order of steps. */
            agentStepId: number;
            agentRunId: components["schemas"]["AgentRunId"];
            /** @description The parent step; null for a root step. */
            parentAgentStepId: number | null;
            /** @description The number of its `step.started` in the stream of the run: steps began in this order. 0 for a step of an earlier version, which came before all others. */
            sequence: number;
            /**
             * @description The kind of step.
             * @enum {string}
             */
            kind: "agent" | "model" | "tool" | "delegate";
            /** @description The name of the agent, model, tool or delegate. */
            name: string;
            /**
             * @description The status of the step.
             * @enum {string}
             */
            status: "running" | "waiting" | "completed" | "failed" | "canceled";
            /** @description The attempt number. */
            attempt: number;
            agent: {
                agentId: string;
                agentRevisionId: string;
                name: string;
            };
            timing: {
                startedAt: components["schemas"]["Timestamp"];
                endedAt: components["schemas"]["Timestamp"] | null;
                durationMs: number | null;
            };
            tokenUsage: {
                inputTokens: number;
                outputTokens: number;
                totalTokens: number;
                cachedInputTokens: number;
                reasoningTokens: number;
            };
            /** @description The cost of a model step, fixed when it ends; null before that, without a price, and for other steps. */
            cost: components["schemas"]["Cost"] | null;
            execution: {
                provider: string | null;
                model: string | null;
                finishReason: string | null;
                toolCallId: string | null;
                retries: number;
                /** @description The workflow run of the call, for a tool that runs a workflow. */
                workflowRunId?: components["schemas"]["WorkflowRunId"];
            };
            /** @description The input of the step. */
            input: unknown;
            /** @description null until the step has an output. */
            output: unknown;
            error: components["schemas"]["Failure"] | null;
            /** @description The last checkpoint written during the step. */
            lastCheckpointId: number | null;
            /**
             * @description This list omits `input` and `output` because of their size; get the step to read them.
             * @constant
             */
            abridged?: true;
            /** @description Child steps, down to `depth` levels. */
            childAgentSteps: components["schemas"]["AgentStep"][];
            createdAt: components["schemas"]["Timestamp"];
            updatedAt: components["schemas"]["Timestamp"];
        };
        AgentStepAnswer: {
            data: components["schemas"]["AgentStep"];
        };
        /** @description The end or the suspension of a step. */
        AgentStepEnd: {
            /** @enum {string} */
            status: "waiting" | "completed" | "failed" | "canceled";
            /** @description What came of it. */
            output?: unknown;
            error?: {
                /**
                 * @description Why.
                 * @enum {string}
                 */
                code: "provider_error" | "provider_rate_limited" | "invalid_model_output" | "tool_error" | "run_timeout" | "lease_lost" | "machine_unavailable" | "attempts_exhausted" | "binding_unavailable" | "budget_exhausted" | "internal_error" | "schema_too_costly" | "schema_not_supported" | "too_large" | "tool_changed" | "no_worker" | "worker_lost" | "timeout" | "workflow_failed" | "workflow_canceled" | "workflow_too_deep";
                message: string;
            };
            tokenUsage?: components["schemas"]["TokenUsage"];
            execution?: {
                provider?: string | null;
                model?: string | null;
                finishReason?: string | null;
                toolCallId?: string | null;
                retries?: number;
                /** @description The workflow run of a call that waits for one. */
                workflowRunId?: components["schemas"]["WorkflowRunId"];
            };
        };
        AgentStepPage: {
            data: {
                items: components["schemas"]["AgentStep"][];
            };
            pagination: {
                /** @description The requested page size. */
                limit: number;
                /** @description Whether there is another page. */
                hasMore: boolean;
                /** @description Pass it as `cursor` to get the next page; present if `hasMore`. */
                nextCursor?: string;
                /** @description The number of all steps; from depth 1 on, of root steps. */
                totalCount: number;
            };
        };
        /** @description An operation, a workflow, a question to the starter of the run, or a tool of the runner. */
        AgentTool: {
            /** @constant */
            kind: "operation";
            /**
             * @description The model's name for it. Unique among the tools and delegates of the Agent.
             * @example look_up_order
             */
            name: string;
            /**
             * @description `<definition>.<operation>`
             * @example orders.find
             */
            operation: string;
        } | {
            /** @constant */
            kind: "workflow";
            /**
             * @description The model's name for it. Unique among the tools and delegates of the Agent.
             * @example look_up_order
             */
            name: string;
            /**
             * @description The name of a workflow of the Release. The input of the tool are its params, its output is the result, and the run waits for it.
             * @example refund-order
             */
            workflow: string;
        } | {
            /** @constant */
            kind: "interactive";
            /**
             * @description The model's name for it. Unique among the tools and delegates of the Agent.
             * @example look_up_order
             */
            name: string;
            /** @description The purpose of the tool, for the model. */
            description: string;
            /** @description The input that the model must give. JSON Schema, draft 2020-12 unless `$schema` says. */
            inputSchema: {
                [key: string]: unknown;
            };
        } | {
            /** @constant */
            kind: "builtin";
            /**
             * @description A tool that every runner has.
             * @enum {string}
             */
            name: "clock" | "calculator" | "echo" | "fetch" | "json" | "time";
        };
        /** @description What the rule watches for. */
        AlertCondition: {
            /** @constant */
            type: "failing";
            /** @description The threshold: the alert fires from this number on. */
            count: number;
            /** @description The time window up to now, in minutes. */
            withinMinutes: number;
        } | {
            /** @constant */
            type: "stuck";
            /** @description The threshold: the alert fires from this number on. */
            count: number;
            /** @description The minimum duration, in minutes. */
            forMinutes: number;
        } | {
            /** @constant */
            type: "waiting";
            /** @description The threshold: the alert fires from this number on. */
            count: number;
            /** @description The minimum duration, in minutes. */
            forMinutes: number;
        } | {
            /** @constant */
            type: "undelivered";
            /** @description The threshold: the alert fires from this number on. */
            count: number;
            /** @description The time window up to now, in minutes. */
            withinMinutes: number;
        } | {
            /** @constant */
            type: "budget";
            /** @description The threshold, in percent of the minutes. */
            percent: number;
        };
        /** @description An alert rule has begun to fire. */
        AlertFiringEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "alert.firing";
            /** @description When the change was made. */
            timestamp: components["schemas"]["Timestamp"];
            /** @description 1, 2, 3 … for each Environment, without gaps. */
            sequence: number;
            organizationId: components["schemas"]["OrganizationId"];
            projectId: components["schemas"]["ProjectId"];
            environmentId: components["schemas"]["EnvironmentId"];
            /** @description The subject of the event. */
            subject: {
                /** @enum {string} */
                type: "agentRun" | "deployment" | "environment" | "operationInvocation" | "operationApproval" | "entity" | "systemAgent" | "workflowRun" | "agentJob" | "webhook" | "organization" | "alertRule";
                /** @description Its id. */
                id: string;
            };
            /** @description Who caused the event. */
            actor: {
                /** @enum {string} */
                type: "user" | "apiKey" | "system" | "runner" | "agentJob" | "workflow";
                /** @description Its id. */
                id: string;
            };
            data: {
                alertRuleId: components["schemas"]["AlertRuleId"];
                /** @description The name of the rule. */
                name: string;
                /** @description As in the rule. */
                condition: {
                    /** @description What is watched. */
                    type: string;
                };
                /** @description The condition in words. */
                summary: string;
                /** @description The measurement. */
                value: number;
                /** @description What has to be reached. */
                threshold: number;
                /** @description When it started to fire. */
                firingSince: components["schemas"]["Timestamp"];
                /**
                 * @description How it ended.
                 * @enum {string|null}
                 */
                resolution: "cleared" | "changed" | "disabled" | null;
                /** @description The event is a test of the rule. */
                test: boolean;
            };
        };
        /** @description A time in which the rule has fired. */
        AlertIncident: {
            id: components["schemas"]["AlertIncidentId"];
            firedAt: components["schemas"]["Timestamp"];
            /** @description The measurement when it fired. */
            value: number;
            /** @description null while it fires. */
            resolvedAt: components["schemas"]["Timestamp"] | null;
            /**
             * @description The reason for its end: the condition was over, or the rule was changed or disabled.
             * @enum {string|null}
             */
            resolution: "cleared" | "changed" | "disabled" | null;
        };
        /**
         * @description The id of one `AlertIncident`: `ali_…`
         * @example ali_01h455vb4pex5vsknk084sn02q
         */
        AlertIncidentId: string;
        AlertIncidentPage: {
            data: {
                items: components["schemas"]["AlertIncident"][];
            };
            pagination: components["schemas"]["Pagination"];
        };
        /** @description An alert rule no longer fires. */
        AlertResolvedEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "alert.resolved";
            /** @description When the change was made. */
            timestamp: components["schemas"]["Timestamp"];
            /** @description 1, 2, 3 … for each Environment, without gaps. */
            sequence: number;
            organizationId: components["schemas"]["OrganizationId"];
            projectId: components["schemas"]["ProjectId"];
            environmentId: components["schemas"]["EnvironmentId"];
            /** @description The subject of the event. */
            subject: {
                /** @enum {string} */
                type: "agentRun" | "deployment" | "environment" | "operationInvocation" | "operationApproval" | "entity" | "systemAgent" | "workflowRun" | "agentJob" | "webhook" | "organization" | "alertRule";
                /** @description Its id. */
                id: string;
            };
            /** @description Who caused the event. */
            actor: {
                /** @enum {string} */
                type: "user" | "apiKey" | "system" | "runner" | "agentJob" | "workflow";
                /** @description Its id. */
                id: string;
            };
            data: {
                alertRuleId: components["schemas"]["AlertRuleId"];
                /** @description The name of the rule. */
                name: string;
                /** @description As in the rule. */
                condition: {
                    /** @description What is watched. */
                    type: string;
                };
                /** @description The condition in words. */
                summary: string;
                /** @description The measurement. */
                value: number;
                /** @description What has to be reached. */
                threshold: number;
                /** @description When it started to fire. */
                firingSince: components["schemas"]["Timestamp"];
                /**
                 * @description How it ended.
                 * @enum {string|null}
                 */
                resolution: "cleared" | "changed" | "disabled" | null;
                /** @description The event is a test of the rule. */
                test: boolean;
            };
        };
        /** @description A rule that watches. */
        AlertRule: {
            id: components["schemas"]["AlertRuleId"];
            /** @description Name */
            name: string;
            /** @description null for a rule of the organization. */
            projectId: components["schemas"]["ProjectId"] | null;
            /** @description null for a rule of the organization. */
            environmentId: components["schemas"]["EnvironmentId"] | null;
            condition: components["schemas"]["AlertCondition"];
            /** @description The condition in words. */
            summary: string;
            /** @description How long the condition must hold before the rule fires. */
            holdMinutes: number;
            /** @description How long the condition must be over before the alert resolves; a recurrence within this time belongs to the same alert. */
            resolveAfterMinutes: number;
            /** @description Its recipients. */
            notify: {
                /** @description Record `alert.firing` and `alert.resolved`, for webhooks that subscribe to them. */
                webhooks: boolean;
                /** @description Mail the owners and admins of the organization, where mail is set up. */
                mail: boolean;
            };
            enabled: boolean;
            /**
             * @description The state of its statechart: `GET /api/v1/machines/alert`. Evaluated once a minute.
             * @enum {string}
             */
            state: "ok" | "pending" | "firing" | "cooling" | "disabled";
            /** @description When it started to fire; null while it is not firing. */
            firingSince: components["schemas"]["Timestamp"] | null;
            /** @description The measurement: a count up to the threshold, or a percentage. */
            value: number | null;
            /** @description What has to be reached. */
            threshold: number;
            createdBy: {
                type: string;
                id: string;
            };
            createdAt: components["schemas"]["Timestamp"];
            updatedAt: components["schemas"]["Timestamp"];
        };
        AlertRuleAnswer: {
            data: components["schemas"]["AlertRule"];
        };
        /** @description The fields to change. */
        AlertRuleChanges: {
            /** @description Name */
            name?: string;
            condition?: components["schemas"]["AlertCondition"];
            /** @description How long the condition must hold before the rule fires. */
            holdMinutes?: number;
            /** @description How long the condition must be over before the alert resolves; a recurrence within this time belongs to the same alert. */
            resolveAfterMinutes?: number;
            /** @description Its recipients. */
            notify?: {
                /** @description Record `alert.firing` and `alert.resolved`, for webhooks that subscribe to them. */
                webhooks: boolean;
                /** @description Mail the owners and admins of the organization, where mail is set up. */
                mail: boolean;
            };
            /** @description A disabled rule is not evaluated and notifies nobody. */
            enabled?: boolean;
        };
        /**
         * @description The id of one `AlertRule`: `alr_…`
         * @example alr_01h455vb4pex5vsknk084sn02q
         */
        AlertRuleId: string;
        /** @description A rule, with the current measurement of its condition. */
        AlertRuleNow: {
            id: components["schemas"]["AlertRuleId"];
            /** @description Name */
            name: string;
            /** @description null for a rule of the organization. */
            projectId: components["schemas"]["ProjectId"] | null;
            /** @description null for a rule of the organization. */
            environmentId: components["schemas"]["EnvironmentId"] | null;
            condition: components["schemas"]["AlertCondition"];
            /** @description The condition in words. */
            summary: string;
            /** @description How long the condition must hold before the rule fires. */
            holdMinutes: number;
            /** @description How long the condition must be over before the alert resolves; a recurrence within this time belongs to the same alert. */
            resolveAfterMinutes: number;
            /** @description Its recipients. */
            notify: {
                /** @description Record `alert.firing` and `alert.resolved`, for webhooks that subscribe to them. */
                webhooks: boolean;
                /** @description Mail the owners and admins of the organization, where mail is set up. */
                mail: boolean;
            };
            enabled: boolean;
            /**
             * @description The state of its statechart: `GET /api/v1/machines/alert`. Evaluated once a minute.
             * @enum {string}
             */
            state: "ok" | "pending" | "firing" | "cooling" | "disabled";
            /** @description When it started to fire; null while it is not firing. */
            firingSince: components["schemas"]["Timestamp"] | null;
            /** @description The measurement: a count up to the threshold, or a percentage. */
            value: number | null;
            /** @description What has to be reached. */
            threshold: number;
            createdBy: {
                type: string;
                id: string;
            };
            createdAt: components["schemas"]["Timestamp"];
            updatedAt: components["schemas"]["Timestamp"];
            /** @description The current measurement of its condition. */
            now: {
                /** @description The measurement: a count up to the threshold, or a percentage. */
                value: number;
                /** @description Whether the condition holds at this moment. */
                isBreached: boolean;
            };
        };
        AlertRuleNowAnswer: {
            data: components["schemas"]["AlertRuleNow"];
        };
        AlertRulePage: {
            data: {
                items: components["schemas"]["AlertRule"][];
            };
            pagination: components["schemas"]["Pagination"];
        };
        /** @description The recipients of the test. */
        AlertTest: {
            /** @description Whether a test event was recorded; webhooks that subscribe to it get it. */
            webhooks: boolean;
            /** @description Whether a mail is on its way. */
            mail: boolean;
        };
        AlertTestAnswer: {
            data: components["schemas"]["AlertTest"];
        };
        /** @description The process is running. */
        Alive: {
            /** @enum {string} */
            status: "alive";
        };
        /** @description A credential for a program, without its secret. */
        ApiKey: {
            id: components["schemas"]["ApiKeyId"];
            /** @description Name */
            name: string;
            /**
             * @description The first characters of the secret, to tell keys apart.
             * @example trp_7hQ2
             */
            prefix: string;
            /** @description The permissions of the key, as far as its creator has them at that time. */
            operations: components["schemas"]["Permission"][];
            /** @description The Project that the key is bound to. */
            projectId: components["schemas"]["ProjectId"] | null;
            /** @description The Environment of the Project that the key is bound to. */
            environmentId: components["schemas"]["EnvironmentId"] | null;
            /** @description The Agent of the Project that the key is bound to. */
            agentId: components["schemas"]["AgentId"] | null;
            /** @description The user whose permissions the key has, within its operations. */
            createdBy: components["schemas"]["UserId"];
            /** @description The key is refused from this time. */
            expiresAt: components["schemas"]["Timestamp"];
            /** @description The last use, to the minute. */
            lastUsedAt: components["schemas"]["Timestamp"] | null;
            /**
             * @description Expiry does not change the status; see `expiresAt`.
             * @enum {string}
             */
            status: "active" | "revoked";
            /** @description Creation */
            createdAt: components["schemas"]["Timestamp"];
        };
        ApiKeyAnswer: {
            data: components["schemas"]["ApiKey"];
        };
        /** @description The fields to change. */
        ApiKeyChanges: {
            /** @description Name */
            name?: string;
            /** @description In the future, and not later than the current expiry. */
            expiresAt?: components["schemas"]["Timestamp"];
        };
        /**
         * @description The id of one `ApiKey`: `key_…`
         * @example key_01h455vb4pex5vsknk084sn02q
         */
        ApiKeyId: string;
        ApiKeyPage: {
            data: {
                items: components["schemas"]["ApiKey"][];
            };
            pagination: components["schemas"]["Pagination"];
        };
        /** @description The rotation of a key. */
        ApiKeyRotation: {
            /**
             * @description How long the old key stays valid: at most a week and never beyond its expiry; 0 revokes it at once.
             * @default 0
             */
            overlapSeconds?: number;
        };
        /** @description A warning about a new key. */
        ApiKeyWarning: {
            /** @enum {string} */
            code: "creates_keys" | "acts_for_another_user";
            /** @description The warning, for people. */
            message: string;
        };
        /** @description A manifest, a promotion or a roll-back on its way into an Environment. */
        Apply: {
            id: components["schemas"]["ApplyId"];
            projectId: components["schemas"]["ProjectId"];
            environmentId: components["schemas"]["EnvironmentId"];
            /**
             * @description The state of its statechart: `GET /api/v1/machines/apply`.
             * @enum {string}
             */
            state: "planned" | "writing" | "releasing" | "configuring" | "deploying" | "activating" | "applied" | "failed" | "canceled";
            /** @description Why it failed. */
            stateReason: {
                code: string;
                message: string;
            } | null;
            plan: components["schemas"]["ApplyPlan"];
            description: string | null;
            releaseId: components["schemas"]["ReleaseId"] | null;
            configurationRevisionId: components["schemas"]["ConfigurationRevisionId"] | null;
            deploymentId: components["schemas"]["DeploymentId"] | null;
            /** @description null also where nothing had to be activated. */
            activationId: components["schemas"]["ActivationId"] | null;
            createdBy: {
                /** @enum {string} */
                type: "user" | "apiKey";
                id: string;
            };
            createdAt: components["schemas"]["Timestamp"];
            /** @description When its state last changed. */
            updatedAt: components["schemas"]["Timestamp"];
            endedAt: components["schemas"]["Timestamp"] | null;
        };
        ApplyAnswer: {
            data: components["schemas"]["Apply"];
        };
        /**
         * @description The id of one `Apply`: `apl_…`
         * @example apl_01h455vb4pex5vsknk084sn02q
         */
        ApplyId: string;
        ApplyPage: {
            data: {
                items: components["schemas"]["Apply"][];
            };
            pagination: components["schemas"]["Pagination"];
        };
        /** @description The changes that applying a manifest would make. */
        ApplyPlan: {
            /** @description Equal for equal plans: `expectedPlanDigest` of an Apply. */
            digest: string;
            /** @description Everything that the manifest names. */
            changes: components["schemas"]["PlanChange"][];
            /** @description All problems; with any, nothing is applied. */
            issues: {
                /**
                 * @description A JSON Pointer into the manifest.
                 * @example /agents/clerk/content
                 */
                path: string;
                message: string;
            }[];
        };
        ApplyPlanAnswer: {
            data: components["schemas"]["ApplyPlan"];
        };
        /** @description What is sent once the call is approved, as far as it is known and can be shown now. */
        ApprovalRequest: {
            /**
             * @description The operation: `<definition>.<operation>`.
             * @example tickets.escalate
             */
            operation: string;
            /**
             * @description Whether it changes anything; null if it is gone.
             * @enum {string|null}
             */
            effect: "read" | "write" | null;
            idempotent: boolean | null;
            /** @description What is called; null if it cannot be determined, and `problem` has the reason. */
            target: ({
                /** @constant */
                type: "http";
                connection: components["schemas"]["ConnectionOfCall"];
                method: string;
                url: string;
                /** @description Without those of traces and of the connection itself (`host`, `content-length`). */
                headers: {
                    name: string;
                    value: string;
                }[];
                /** @description As it is sent. */
                body: string | null;
            } | {
                /** @constant */
                type: "mcp";
                connection: components["schemas"]["ConnectionOfCall"];
                /** @description The MCP server. */
                url: string;
                /** @description Its tool; the input is its arguments. */
                tool: string;
            } | {
                /** @constant */
                type: "agent";
                /** @description The slug of the Agent that is run. */
                agent: string;
                agentId: components["schemas"]["AgentId"] | null;
                /** @description What it is asked. */
                query: string;
            } | {
                /** @constant */
                type: "entity";
                /** @description The name of the Definition. */
                entity: string;
                /** @enum {string} */
                action: "create" | "update" | "transition" | "delete";
            } | {
                /** @constant */
                type: "worker";
                queue: string;
            } | {
                /** @constant */
                type: "echo";
            }) | null;
            /** @description Values that are known only when the request is sent, and are never shown. */
            withheld: {
                /**
                 * @description Stands in the request as `{{name}}`.
                 * @example variables.SHOP
                 */
                name: string;
                /**
                 * @description `credential`: the secret of the Connection. `runContext`: what the client gave the run.
                 * @enum {string}
                 */
                kind: "variable" | "runContext" | "connectionHeader" | "credential";
                /** @description Of a credential. */
                label: string | null;
            }[];
            /** @description Whether a text was too long to be shown whole. */
            truncated: boolean;
            /** @description Why the call would fail if it was made now. */
            problem: {
                code: string;
                message: string;
            } | null;
        };
        ApprovalRequestAnswer: {
            data: components["schemas"]["ApprovalRequest"];
        };
        /** @description Streamed text of the model. */
        AttemptEvents: {
            events: {
                /** @enum {string} */
                type: "step.delta";
                agentStepId: number;
                data: {
                    /** @enum {string} */
                    kind: "text" | "reasoning" | "toolInput";
                    text: string;
                    /** @description For `toolInput`, where it is required: the call. */
                    toolCallId?: string;
                    /** @description For `toolInput`, where it is required: the tool. */
                    toolName?: string;
                };
            }[];
        };
        /**
         * @description The id of one `Attempt`: `att_…`
         * @example att_01h455vb4pex5vsknk084sn02q
         */
        AttemptId: string;
        /** @description A model call for one step. */
        AttemptModelCall: {
            /** @description An open model step, whose agent makes the call. */
            agentStepId: number;
            /** @description The conversation as AI SDK messages, as in a checkpoint, without the instructions. */
            messages: ({
                /** @enum {string} */
                role: "user" | "assistant" | "tool";
                content: string | ({
                    type: string;
                } & {
                    [key: string]: unknown;
                })[];
            } & {
                [key: string]: unknown;
            })[];
            /** @description The tools that the model may call. */
            tools?: {
                name: string;
                description?: string;
                /** @description The JSON Schema of the input, of type object. */
                inputSchema: {
                    [key: string]: unknown;
                };
            }[];
        };
        /** @description A line of the answer of a model call; the last three end it. */
        AttemptModelLine: {
            /** @constant */
            type: "text";
            text: string;
        } | {
            /** @constant */
            type: "reasoning";
            text: string;
        } | {
            /** @constant */
            type: "toolInput";
            toolCallId: string;
            toolName: string;
            text: string;
        } | {
            /** @constant */
            type: "toolCall";
            toolCallId: string;
            toolName: string;
            /** @description The complete input. */
            input: unknown;
        } | {
            /** @constant */
            type: "finish";
            /** @enum {string} */
            finishReason: "stop" | "length" | "content-filter" | "tool-calls" | "other";
            usage: components["schemas"]["TokenUsage"];
            assistantMessage: {
                /** @enum {string} */
                role: "user" | "assistant" | "tool";
                content: string | ({
                    type: string;
                } & {
                    [key: string]: unknown;
                })[];
            } & {
                [key: string]: unknown;
            };
        } | {
            /** @constant */
            type: "error";
            error: {
                code: string;
                message: string;
                retryable: boolean;
                retryAfterMs?: number;
            };
        } | {
            /** @constant */
            type: "stopped";
            /** @enum {string} */
            signal: "cancel" | "drain" | "stale";
        };
        /** @description An operation call. */
        AttemptOperationCall: {
            /** @description The agent that the tool belongs to: the run's, or a delegate. */
            agentId: string;
            /** @description The name of the tool in the assignment. */
            toolName: string;
            /** @description The call. This attempt must have an open step for it. */
            toolCallId: string;
            /** @description The arguments of the call. */
            input: {
                [key: string]: unknown;
            };
        };
        /** @description A result or an error; or `awaiting`, with the ids under which the run must wait for the call. */
        AttemptOperationOutcome: {
            /** @description What came of it. */
            result?: unknown;
            error?: {
                /** @enum {string} */
                code: "tool_error" | "binding_unavailable" | "schema_too_costly" | "schema_not_supported" | "too_large" | "tool_changed" | "no_worker" | "worker_lost" | "timeout" | "workflow_failed" | "workflow_canceled" | "workflow_too_deep";
                /** @description The message for the model. */
                message: string;
            };
            /**
             * @description The call waits for an approval, for the run of another Agent, for a worker, or for the run of a workflow.
             * @enum {string}
             */
            awaiting?: "approval" | "agentRun" | "worker" | "workflow";
            invocationId?: components["schemas"]["OperationInvocationId"];
            approvalId?: components["schemas"]["OperationApprovalId"];
            workflowRunId?: components["schemas"]["WorkflowRunId"];
        };
        AttemptOperationOutcomeAnswer: {
            data: components["schemas"]["AttemptOperationOutcome"];
        };
        /** @description The final report of an attempt. */
        AttemptReport: {
            /** @enum {string} */
            outcome: "completed" | "failed" | "canceled" | "awaitingToolResult" | "awaitingDelegateResult";
            /** @enum {string} */
            stopReason?: "end_turn" | "max_steps" | "max_output_tokens" | "content_filter";
            /** @description The answer. */
            output?: unknown;
            error?: {
                /**
                 * @description Why.
                 * @enum {string}
                 */
                code: "provider_error" | "provider_rate_limited" | "invalid_model_output" | "tool_error" | "run_timeout" | "lease_lost" | "machine_unavailable" | "attempts_exhausted" | "binding_unavailable" | "budget_exhausted" | "internal_error";
                message: string;
                retryable: boolean;
                retryAfterMs?: number;
            };
            awaiting?: {
                /** @enum {string} */
                kind: "tool" | "delegate";
                toolName: string;
                toolCallId: string;
                /** @description The arguments of the call. */
                input: unknown;
                /** @description The invocation of a call that the server answered with `awaiting`. */
                invocationId?: components["schemas"]["OperationInvocationId"];
                /** @description The approval of that call, if there is one. */
                approvalId?: components["schemas"]["OperationApprovalId"];
                /** @description The workflow run of a call that the server answered with `awaiting`. */
                workflowRunId?: components["schemas"]["WorkflowRunId"];
                /**
                 * @description The server's answer with `awaiting`.
                 * @enum {string}
                 */
                waitsFor?: "worker";
            }[];
        };
        /** @description A change, or an attempt to make one. */
        AuditEvent: {
            id: components["schemas"]["AuditEventId"];
            at: components["schemas"]["Timestamp"];
            /** @description An API key, a user with a session, or the server itself. */
            actor: {
                /** @enum {string} */
                type: "user" | "apiKey" | "server";
                id: string;
            };
            /** @description The client's address, if known. */
            ip: string | null;
            /**
             * @description The operation id in this document.
             * @example addMember
             */
            operation: string;
            /** @description The target. */
            resource: {
                /** @example member */
                type: string;
                id: string | null;
            };
            /**
             * @description denied: no permission or no such resource; failed: refused for another reason.
             * @enum {string}
             */
            outcome: "allowed" | "denied" | "failed";
            /** @description The request id, as in `X-Request-Id`. */
            requestId: string;
            /**
             * @description Who made the id: a client can repeat the id of another request. Null for lines older than this field.
             * @enum {string|null}
             */
            requestIdFrom: "server" | "client" | null;
            /** @description Names of the changed fields; for a new resource, of all given fields. Never values. */
            changed: string[];
            /** @description Number of occurrences: refusals of a credential for an operation within a minute are one line. */
            count: number;
        };
        /**
         * @description The id of one `AuditEvent`: `aud_…`
         * @example aud_01h455vb4pex5vsknk084sn02q
         */
        AuditEventId: string;
        AuditEventPage: {
            data: {
                items: components["schemas"]["AuditEvent"][];
            };
            pagination: components["schemas"]["Pagination"];
        };
        /** @description The state of the Environment at one moment. */
        Baseline: {
            takenAt: components["schemas"]["Timestamp"];
            /** @description The last event that it includes; 0 before the first. */
            sequence: number;
            environment: {
                id: components["schemas"]["EnvironmentId"];
                /** @description The state of its statechart. */
                state: string;
                /** @description The generation of its Activations. */
                generation: number;
                configurationHeadRevisionId: components["schemas"]["ConfigurationRevisionId"];
                activeDeploymentId: components["schemas"]["DeploymentId"] | null;
            };
            activeDeployment: {
                id: components["schemas"]["DeploymentId"];
                /** @description The state of its statechart. */
                state: string;
                releaseId: components["schemas"]["ReleaseId"];
                configurationRevisionId: components["schemas"]["ConfigurationRevisionId"];
            } | null;
            /** @description The Agents of the Project, oldest first. */
            agents: {
                id: components["schemas"]["AgentId"];
                /** @description The state of its statechart. */
                state: string;
                /** @description The revision in the active Deployment; null if it has none. */
                agentRevisionId: components["schemas"]["AgentRevisionId"] | null;
            }[];
            /** @description Newest first. */
            nonTerminalRuns: {
                id: components["schemas"]["AgentRunId"];
                /** @description The state of its statechart. */
                state: string;
                /** @description The Agent of the run. */
                agentId: string;
                agentRevisionId: components["schemas"]["AgentRevisionId"];
                deploymentId: components["schemas"]["DeploymentId"] | null;
            }[];
            /** @description Newest first. */
            entities: {
                id: components["schemas"]["EntityId"];
                /** @description The state of its statechart. */
                state: string;
                /** @description The name of its Definition. */
                type: string;
                /** @description Increases by 1 with every change. */
                version: number;
            }[];
            /** @description The lists would exceed 5 MiB and are truncated; the lists of the API have the rest. */
            truncated: boolean;
        };
        /** @description A billing period. */
        BillingPeriod: {
            /** @description The start, inclusive. */
            start: components["schemas"]["Timestamp"];
            /** @description The end, exclusive. */
            end: components["schemas"]["Timestamp"];
        };
        /** @description A page of the payment provider. */
        BillingRedirect: {
            /** @description The URL to send the browser to. It expires after a day at the latest. */
            url: string;
        };
        BillingRedirectAnswer: {
            data: components["schemas"]["BillingRedirect"];
        };
        /** @description The health of a declared binding, by its stored state. */
        BindingHealth: {
            /** @example shop */
            bindingKey: string;
            /** @description The Agent that declares the binding. */
            agentId: components["schemas"]["AgentId"];
            /** @description Whether the Agent requires it. */
            required: boolean;
            /** @description The bound Connection. */
            connectionId: components["schemas"]["ConnectionId"] | null;
            /**
             * @description `missing`: no Connection of the right kind is bound; `disabled`: the Connection or its credential is disabled; `expired`: the credential or the consent has expired; `version_unavailable`: a pinned version was deleted or revoked, or the credential that the settings require is gone.
             * @enum {string}
             */
            state: "healthy" | "missing" | "disabled" | "expired" | "version_unavailable";
        };
        BindingHealthList: {
            data: {
                items: components["schemas"]["BindingHealth"][];
            };
        };
        /** @description All minutes of the billing period are used, or a run has failed because its limits are used up. */
        BudgetExhaustedEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "budget.exhausted";
            /** @description When the change was made. */
            timestamp: components["schemas"]["Timestamp"];
            /** @description 1, 2, 3 … for each Environment, without gaps. */
            sequence: number;
            organizationId: components["schemas"]["OrganizationId"];
            projectId: components["schemas"]["ProjectId"];
            environmentId: components["schemas"]["EnvironmentId"];
            /** @description The subject of the event. */
            subject: {
                /** @enum {string} */
                type: "agentRun" | "deployment" | "environment" | "operationInvocation" | "operationApproval" | "entity" | "systemAgent" | "workflowRun" | "agentJob" | "webhook" | "organization" | "alertRule";
                /** @description Its id. */
                id: string;
            };
            /** @description Who caused the event. */
            actor: {
                /** @enum {string} */
                type: "user" | "apiKey" | "system" | "runner" | "agentJob" | "workflow";
                /** @description Its id. */
                id: string;
            };
            data: {
                organizationId: components["schemas"]["OrganizationId"];
                /**
                 * @description The used percentage.
                 * @constant
                 */
                percent: 100;
                /** @description For minutes: the billing period. */
                period?: {
                    /** @description The start, inclusive. */
                    start: components["schemas"]["Timestamp"];
                    /** @description The end, exclusive. */
                    end: components["schemas"]["Timestamp"];
                };
                /** @description For minutes: those of the period. */
                budgetMinutes?: number;
                /** @description Of a run. */
                agentRunId?: components["schemas"]["AgentRunId"];
                /** @description For a run: its Agent. */
                agentId?: components["schemas"]["AgentId"];
                agentRevisionId?: components["schemas"]["AgentRevisionId"];
                deploymentId?: components["schemas"]["DeploymentId"] | null;
                /** @description For a run: its limits. */
                limits?: components["schemas"]["RunLimits"];
                /** @description For a run: input and output tokens of its model steps so far. */
                usedTokens?: number;
                /** @description For a run: the cost of its model steps; null if it is unknown. */
                cost?: components["schemas"]["Cost"] | null;
            };
        };
        /** @description 80 % of the minutes of the billing period, or of the limits of a run, are used. */
        BudgetWarningEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "budget.warning";
            /** @description When the change was made. */
            timestamp: components["schemas"]["Timestamp"];
            /** @description 1, 2, 3 … for each Environment, without gaps. */
            sequence: number;
            organizationId: components["schemas"]["OrganizationId"];
            projectId: components["schemas"]["ProjectId"];
            environmentId: components["schemas"]["EnvironmentId"];
            /** @description The subject of the event. */
            subject: {
                /** @enum {string} */
                type: "agentRun" | "deployment" | "environment" | "operationInvocation" | "operationApproval" | "entity" | "systemAgent" | "workflowRun" | "agentJob" | "webhook" | "organization" | "alertRule";
                /** @description Its id. */
                id: string;
            };
            /** @description Who caused the event. */
            actor: {
                /** @enum {string} */
                type: "user" | "apiKey" | "system" | "runner" | "agentJob" | "workflow";
                /** @description Its id. */
                id: string;
            };
            data: {
                organizationId: components["schemas"]["OrganizationId"];
                /**
                 * @description The used percentage.
                 * @constant
                 */
                percent: 80;
                /** @description For minutes: the billing period. */
                period?: {
                    /** @description The start, inclusive. */
                    start: components["schemas"]["Timestamp"];
                    /** @description The end, exclusive. */
                    end: components["schemas"]["Timestamp"];
                };
                /** @description For minutes: those of the period. */
                budgetMinutes?: number;
                /** @description Of a run. */
                agentRunId?: components["schemas"]["AgentRunId"];
                /** @description For a run: its Agent. */
                agentId?: components["schemas"]["AgentId"];
                agentRevisionId?: components["schemas"]["AgentRevisionId"];
                deploymentId?: components["schemas"]["DeploymentId"] | null;
                /** @description For a run: its limits. */
                limits?: components["schemas"]["RunLimits"];
                /** @description For a run: input and output tokens of its model steps so far. */
                usedTokens?: number;
                /** @description For a run: the cost of its model steps; null if it is unknown. */
                cost?: components["schemas"]["Cost"] | null;
            };
        };
        /** @description An action on many runs, in the background. */
        BulkAction: {
            id: components["schemas"]["BulkActionId"];
            /** @enum {string} */
            action: "cancel" | "continue" | "fork";
            /**
             * @description The state of its statechart: `GET /api/v1/machines/bulk-action`.
             * @enum {string}
             */
            state: "running" | "completed" | "canceled" | "failed";
            filter: components["schemas"]["BulkActionFilter"];
            query: string | null;
            max: number;
            dryRun: boolean;
            /** @description The runs that it acts on, fixed when it began. */
            matched: number;
            /** @description Runs on which the action was performed. */
            done: number;
            /** @description Runs that refused the action, as they would refuse it individually. */
            failed: number;
            /** @description The first 20 failures. */
            failures: components["schemas"]["BulkActionFailure"][];
            error: components["schemas"]["Failure"] | null;
            createdBy: {
                /** @enum {string} */
                type: "user" | "apiKey";
                id: string;
            };
            createdAt: components["schemas"]["Timestamp"];
            updatedAt: components["schemas"]["Timestamp"];
            endedAt: components["schemas"]["Timestamp"] | null;
        };
        BulkActionAnswer: {
            data: components["schemas"]["BulkAction"];
        };
        /** @description A run that refused the action. */
        BulkActionFailure: {
            agentRunId: components["schemas"]["AgentRunId"];
            code: string;
            message: string;
        };
        /**
         * @description Which runs: the filters of the list of runs, except those by the time of the end. Empty: all that the credential can access.
         * @example {
         *       "states": [
         *         "queued"
         *       ]
         *     }
         */
        BulkActionFilter: {
            /** @description Runs of this Project. */
            projectId?: components["schemas"]["ProjectId"];
            /** @description Runs in this Environment. */
            environmentId?: components["schemas"]["EnvironmentId"];
            /**
             * @description Runs of this agent.
             * @example agt_system_assistant
             */
            agentId?: string;
            /** @description Runs started by this job. */
            agentJobId?: components["schemas"]["AgentJobId"];
            /** @description Runs started by this principal, by id. */
            createdBy?: string;
            /** @description A key of your own for the conversation: 1 to 128 printable characters. */
            threadKey?: string;
            /** @description Forks of this run. */
            forkedFrom?: components["schemas"]["AgentRunId"];
            /** @description Runs in these states; comma-separated or repeated. */
            states?: ("queued" | "acquiring" | "starting" | "running" | "awaitingToolResult" | "awaitingDelegateResult" | "canceling" | "completed" | "failed" | "canceled" | "expired")[];
            /** @description Those of these runs that pass the other filters, in one answer; comma-separated or repeated. */
            ids?: components["schemas"]["AgentRunId"][];
            /** @description Runs whose first 200 characters have all these words, whatever their case. One request looks at 20,000 runs (of each state and place asked for): a page may be short, or empty, and `nextCursor` searches on. Requires the permission `agent-runs:steps:get`. */
            search?: string;
            /** @description Runs created at this time or later. In the order of creation. */
            since?: components["schemas"]["Timestamp"];
            /** @description Runs created before this time. In the order of creation. */
            until?: components["schemas"]["Timestamp"];
        };
        /**
         * @description The id of one `BulkAction`: `blk_…`
         * @example blk_01h455vb4pex5vsknk084sn02q
         */
        BulkActionId: string;
        /** @description A checkout for a plan. */
        Checkout: {
            /**
             * @description The plan; with Stripe also the lookup key of its price.
             * @example pro
             */
            planKey: string;
            /**
             * @description The page after paying. One of the console's own: `/billing`, `/billing/success`, `/billing/canceled`, `/pricing`, byte for byte.
             * @example http://localhost:3000/billing
             */
            successUrl: string;
            /**
             * @description The page after leaving without paying. One of the console's own: `/billing`, `/billing/success`, `/billing/canceled`, `/pricing`, byte for byte.
             * @example http://localhost:3000/billing
             */
            cancelUrl: string;
            /** @description A session's token; required with a session, ignored with an API key. */
            csrfToken?: string;
        };
        /** @description A point from which a run can be continued. */
        Checkpoint: {
            /** @description 0: the input. */
            checkpointId: number;
            /** @description The step during which it was written; null for the input. */
            agentStepId: number | null;
            agentRunId: components["schemas"]["AgentRunId"];
            attempt: number;
            /** @description 0, 1, 2, 3 … within the run. */
            sequence: number;
            /**
             * @description When it was written: the input, after a step, while the run waits, or at its end.
             * @enum {string}
             */
            kind: "input" | "step" | "suspended" | "final";
            /** @description The state that a continue resumes from. */
            artifact: {
                /**
                 * @description SHA-256 of the canonical JSON of the artifact.
                 * @example sha256:0000000000000000000000000000000000000000000000000000000000000000
                 */
                digest: string;
                sizeBytes: number;
                /** @enum {string} */
                mediaType: "application/json";
            };
            createdAt: components["schemas"]["Timestamp"];
        };
        CheckpointAnswer: {
            data: components["schemas"]["Checkpoint"];
        };
        CheckpointPage: {
            data: {
                items: components["schemas"]["Checkpoint"][];
            };
            pagination: components["schemas"]["Pagination"];
        };
        /** @description An immutable snapshot of the configuration of an Environment. It contains no secrets. */
        ConfigurationRevision: {
            id: components["schemas"]["ConfigurationRevisionId"];
            environmentId: components["schemas"]["EnvironmentId"];
            /** @description 0 is the initial, empty one. */
            number: number;
            /** @description The previous head. */
            parentId: string | null;
            variables: {
                variableId: components["schemas"]["VariableId"];
                name: string;
                version: number;
                /** @description The Agent that it is bound to; null if it is for all Agents. */
                agentId: string | null;
                bindingKey: string | null;
            }[];
            connections: {
                connectionId: components["schemas"]["ConnectionId"];
                connectionVersionId: components["schemas"]["ConnectionVersionId"];
                /** @description Its name at that time, by which keys find it; omitted in revisions of earlier versions. */
                name?: string;
                /** @description The Agent that it is bound to; null if it is for all Agents. */
                agentId: string | null;
                bindingKey: string | null;
            }[];
            providerSettings: {
                settingId: number;
                agentId: components["schemas"]["AgentId"];
                provider: string | null;
                model: string | null;
                providerCredentialId: string | null;
                /** @description Resolved when the revision was created, if the setting leaves it open. */
                providerCredentialVersion: number | null;
            }[];
            /**
             * @description SHA-256 of the RFC 8785 form of the pinned configuration.
             * @example sha256:0000000000000000000000000000000000000000000000000000000000000000
             */
            digest: string;
            description: string | null;
            createdBy: {
                /** @enum {string} */
                type: "user" | "apiKey";
                /** @description The id of that principal. */
                id: string;
            };
            createdAt: components["schemas"]["Timestamp"];
        };
        ConfigurationRevisionAnswer: {
            data: components["schemas"]["ConfigurationRevision"];
        };
        /**
         * @description The id of one `ConfigurationRevision`: `cfr_…`
         * @example cfr_01h455vb4pex5vsknk084sn02q
         */
        ConfigurationRevisionId: string;
        ConfigurationRevisionPage: {
            data: {
                items: components["schemas"]["ConfigurationRevision"][];
            };
            pagination: components["schemas"]["Pagination"];
        };
        /** @description The address and settings of an external service, without its credential. */
        Connection: {
            id: components["schemas"]["ConnectionId"];
            environmentId: components["schemas"]["EnvironmentId"];
            /**
             * @description Unique in the Environment.
             * @example Shop
             */
            name: string;
            /**
             * @description The kind of service; immutable.
             * @enum {string}
             */
            kind: "http" | "database" | "object_storage" | "messaging" | "custom";
            /**
             * @description Only an active one is used.
             * @enum {string}
             */
            status: "active" | "disabled" | "deleting";
            /** @description Why the server disabled it. */
            statusReason: string | null;
            /** @description The settings of the current version. */
            settings: {
                [key: string]: unknown;
            };
            /** @description The Agent that it is bound to. */
            agentId: components["schemas"]["AgentId"] | null;
            /** @description The key that the Agent uses for it. */
            bindingKey: string | null;
            /** @description The version that a new Configuration Revision would pin. */
            currentVersion: {
                id: components["schemas"]["ConnectionVersionId"];
                number: number;
                createdAt: components["schemas"]["Timestamp"];
            };
            /** @description The consent behind the current version; only if it was connected by OAuth. */
            oauth?: {
                /**
                 * @description The preset that it was connected with.
                 * @example google-workspace
                 */
                presetKey: string;
                /** @description The granted scopes. */
                scopes: string[];
                /** @description The account that consented, as named by the provider. */
                account: {
                    id: string;
                    /** @example ada@example.com */
                    label: string;
                };
            };
            createdAt: components["schemas"]["Timestamp"];
            updatedAt: components["schemas"]["Timestamp"];
        };
        ConnectionAnswer: {
            data: components["schemas"]["Connection"];
        };
        /** @description A Connection whose pin has changed. */
        ConnectionChange: {
            /**
             * @description Its name, or its id if it was deleted.
             * @example shop
             */
            name: string;
            /**
             * @description The Agent that it is bound to; null if it is for all Agents.
             * @example clerk
             */
            agent: string | null;
            /** @description The key that it is bound under. */
            bindingKey: string | null;
            /**
             * @description What has become of it.
             * @enum {string}
             */
            change: "added" | "removed" | "changed";
            before: {
                connectionId: components["schemas"]["ConnectionId"];
                connectionVersionId: components["schemas"]["ConnectionVersionId"];
                /** @description The number of the version; null if it was deleted. */
                number: number | null;
                /** @description As pinned by the Configuration Revision. A Deployment with `credentials: "current"` uses the current one at the time of its preparation. */
                credential: {
                    providerCredentialId: components["schemas"]["ProviderCredentialId"];
                    /** @description Its label; null if it was deleted. */
                    label: string | null;
                    providerCredentialVersion: number | null;
                } | null;
            } | null;
            after: {
                connectionId: components["schemas"]["ConnectionId"];
                connectionVersionId: components["schemas"]["ConnectionVersionId"];
                /** @description The number of the version; null if it was deleted. */
                number: number | null;
                /** @description As pinned by the Configuration Revision. A Deployment with `credentials: "current"` uses the current one at the time of its preparation. */
                credential: {
                    providerCredentialId: components["schemas"]["ProviderCredentialId"];
                    /** @description Its label; null if it was deleted. */
                    label: string | null;
                    providerCredentialVersion: number | null;
                } | null;
            } | null;
            /** @description Of a changed one; at most 100. Differences in order alone are not listed. */
            differences: components["schemas"]["Difference"][];
        };
        /** @description The fields to change. `agentId` and `bindingKey` belong together; both null unbind. */
        ConnectionChanges: {
            /** @description Unique in the Environment. */
            name?: string;
            /** @enum {string} */
            status?: "active" | "disabled";
            /** @description The next version. Without `settings` it takes those of the version before. `providerCredentialId` is required where the Connection has a credential; one that was made by OAuth keeps its consent and takes none. */
            version?: {
                /** @description A provider credential of the organization; null: none. */
                providerCredentialId?: components["schemas"]["ProviderCredentialId"] | null;
                /** @description A version of that credential; null: the current one when a Configuration Revision is created. */
                providerCredentialVersion?: number | null;
                /** @description The settings of the kind. Secrets belong in provider credentials. */
                settings?: components["schemas"]["HttpSettings"] | components["schemas"]["DatabaseSettings"] | components["schemas"]["ObjectStorageSettings"] | components["schemas"]["MessagingSettings"] | components["schemas"]["CustomSettings"];
            };
            /** @description An Agent of the Project, together with `bindingKey`. */
            agentId?: components["schemas"]["AgentId"] | null;
            /**
             * @description The key that the Agent uses for it.
             * @example shop
             */
            bindingKey?: string | null;
        };
        /**
         * @description The id of one `Connection`: `con_…`
         * @example con_01h455vb4pex5vsknk084sn02q
         */
        ConnectionId: string;
        /** @description The Connection that a call goes over. */
        ConnectionOfCall: {
            id: components["schemas"]["ConnectionId"];
            name: string;
            /** @description The key that the operation names it by. */
            bindingKey: string;
        };
        ConnectionPage: {
            data: {
                items: components["schemas"]["Connection"][];
            };
            pagination: components["schemas"]["Pagination"];
        };
        /** @description An OAuth 2.0 provider that this deployment knows; it holds no secret. */
        ConnectionPreset: {
            /**
             * @description Preset key: 1 to 63 lower-case letters, digits and inner hyphens.
             * @example support-desk
             */
            presetKey: string;
            /**
             * @description What people call it.
             * @example Google Workspace
             */
            name: string;
            /**
             * @description The address to which the browser is sent for the consent.
             * @example https://accounts.google.com/o/oauth2/v2/auth
             */
            authorizationEndpoint: string;
            /**
             * @description The endpoint where the server exchanges codes for tokens.
             * @example https://oauth2.googleapis.com/token
             */
            tokenEndpoint: string;
            /** @description The scopes that the provider documents. */
            scopes: {
                /**
                 * @description The provider's name for it.
                 * @example openid
                 */
                name: string;
                /** @description Its permissions. */
                description: string;
            }[];
            /** @description The scopes that a consent requests. */
            defaultScopes: string[];
            /** @description Whom a Connection acts for: the user who gave the consent, or the whole workspace. */
            principalBinding: "user" | "workspace";
            /** @description The steps of an administrator at the provider before registering the client here. */
            setupInstructions: string;
            /**
             * @description Every flow is protected by PKCE (S256).
             * @constant
             */
            pkce: true;
            /**
             * @description The redirect URI that an administrator registers at the provider.
             * @example https://troupe.example.com/api/oauth/callback/google-workspace
             */
            redirectUri: string;
        };
        ConnectionPresetAnswer: {
            data: components["schemas"]["ConnectionPreset"];
        };
        ConnectionPresetList: {
            data: {
                items: components["schemas"]["ConnectionPreset"][];
            };
        };
        /**
         * @description The id of one `ConnectionVersion`: `cnv_…`
         * @example cnv_01h455vb4pex5vsknk084sn02q
         */
        ConnectionVersionId: string;
        /** @description A text, an image or a file. */
        ContentItem: {
            /** @constant */
            type: "text";
            text: string;
        } | {
            /** @constant */
            type: "image";
            /** @description image/png, image/jpeg, image/gif or image/webp */
            mediaType: string;
            /** @description Base64; at most 5 MiB of content. */
            data: string;
        } | {
            /** @constant */
            type: "file";
            /** @description application/pdf, or text/plain for ASCII text */
            mediaType: string;
            filename: string;
            /** @description Base64; at most 5 MiB of content. */
            data: string;
        };
        /** @description A message of a conversation, as in checkpoints. */
        ConversationMessage: {
            /** @constant */
            role: "user";
            content: string | ({
                /** @constant */
                type: "text";
                text: string;
                /** @description What a vendor needs back, as it is. */
                providerOptions?: {
                    [key: string]: unknown;
                };
            } | {
                /** @constant */
                type: "image";
                /** @description Base64. */
                image: string;
                mediaType?: string;
                /** @description What a vendor needs back, as it is. */
                providerOptions?: {
                    [key: string]: unknown;
                };
            } | {
                /** @constant */
                type: "file";
                /** @description Base64. */
                data: string;
                mediaType: string;
                filename?: string;
                /** @description What a vendor needs back, as it is. */
                providerOptions?: {
                    [key: string]: unknown;
                };
            })[];
            /** @description What a vendor needs back, as it is. */
            providerOptions?: {
                [key: string]: unknown;
            };
        } | {
            /** @constant */
            role: "assistant";
            content: string | ({
                /** @constant */
                type: "text";
                text: string;
                /** @description What a vendor needs back, as it is. */
                providerOptions?: {
                    [key: string]: unknown;
                };
            } | {
                /** @constant */
                type: "reasoning";
                text: string;
                /** @description What a vendor needs back, as it is. */
                providerOptions?: {
                    [key: string]: unknown;
                };
            } | {
                /** @constant */
                type: "file";
                /** @description Base64. */
                data: string;
                mediaType: string;
                filename?: string;
                /** @description What a vendor needs back, as it is. */
                providerOptions?: {
                    [key: string]: unknown;
                };
            } | {
                /** @constant */
                type: "tool-call";
                /** @description The id of the call. */
                toolCallId: string;
                /** @description The tool. */
                toolName: string;
                /** @description The arguments of the call. */
                input: unknown;
                /** @description What a vendor needs back, as it is. */
                providerOptions?: {
                    [key: string]: unknown;
                };
            })[];
            /** @description What a vendor needs back, as it is. */
            providerOptions?: {
                [key: string]: unknown;
            };
        } | {
            /** @constant */
            role: "tool";
            content: {
                /** @constant */
                type: "tool-result";
                /** @description The id of the call. */
                toolCallId: string;
                /** @description The tool. */
                toolName: string;
                output: {
                    /** @enum {string} */
                    type: "text" | "error-text";
                    value: string;
                } | {
                    /** @enum {string} */
                    type: "json" | "error-json";
                    /** @description JSON. */
                    value: unknown;
                } | {
                    /** @constant */
                    type: "content";
                    value: ({
                        /** @constant */
                        type: "text";
                        text: string;
                    } | {
                        /** @constant */
                        type: "image-data";
                        /** @description Base64. */
                        data: string;
                        mediaType: string;
                    })[];
                };
                /** @description What a vendor needs back, as it is. */
                providerOptions?: {
                    [key: string]: unknown;
                };
            }[];
            /** @description What a vendor needs back, as it is. */
            providerOptions?: {
                [key: string]: unknown;
            };
        };
        /** @description An exact amount of money. */
        Cost: {
            /**
             * @description An exact decimal number.
             * @example 0.0042
             */
            amount: string;
            /**
             * @description ISO 4217, as the prices of the server have it.
             * @example USD
             */
            currency: string;
        };
        /** @description The cost of one Agent, model, API key or Project. */
        CostShare: {
            /** @description With `by=agent`. */
            agentId?: string | null;
            /** @description With `by=model`. */
            provider?: string | null;
            /** @description With `by=model`. */
            model?: string | null;
            /** @description With `by=apiKey`: the key that started the run; null for runs that no key has started. */
            apiKeyId?: string | null;
            /** @description With `by=project`; null for runs outside of Projects. */
            projectId?: string | null;
            /** @description With `by=agent` and `by=project`; null for one that was deleted, and for System Agents. */
            name?: string | null;
            /** @description The cost of model steps that ended in this interval; null without any, if one had no price, or if currencies differ. */
            cost: components["schemas"]["Cost"] | null;
            /** @description The same by currency, whatever steps had no price. */
            costs: components["schemas"]["Cost"][];
            /** @description Model steps that ended while the server had prices. */
            modelSteps: number;
            /** @description Those without a price. */
            unpricedSteps: number;
            /** @description Their input tokens. */
            inputTokens: number;
            /** @description Their output tokens. */
            outputTokens: number;
        };
        /** @description A new key with its secret. */
        CreatedApiKey: {
            id: components["schemas"]["ApiKeyId"];
            /** @description Name */
            name: string;
            /**
             * @description The first characters of the secret, to tell keys apart.
             * @example trp_7hQ2
             */
            prefix: string;
            /** @description The permissions of the key, as far as its creator has them at that time. */
            operations: components["schemas"]["Permission"][];
            /** @description The Project that the key is bound to. */
            projectId: components["schemas"]["ProjectId"] | null;
            /** @description The Environment of the Project that the key is bound to. */
            environmentId: components["schemas"]["EnvironmentId"] | null;
            /** @description The Agent of the Project that the key is bound to. */
            agentId: components["schemas"]["AgentId"] | null;
            /** @description The user whose permissions the key has, within its operations. */
            createdBy: components["schemas"]["UserId"];
            /** @description The key is refused from this time. */
            expiresAt: components["schemas"]["Timestamp"];
            /** @description The last use, to the minute. */
            lastUsedAt: components["schemas"]["Timestamp"] | null;
            /**
             * @description Expiry does not change the status; see `expiresAt`.
             * @enum {string}
             */
            status: "active" | "revoked";
            /** @description Creation */
            createdAt: components["schemas"]["Timestamp"];
            /** @description Sent as `Authorization: Bearer …`. Shown only once. */
            secret: string;
            /** @description Warnings about this key; absent if there are none. */
            warnings?: components["schemas"]["ApiKeyWarning"][];
        };
        CreatedApiKeyAnswer: {
            data: components["schemas"]["CreatedApiKey"];
        };
        /** @description A new token with its secret. */
        CreatedRunnerToken: {
            id: components["schemas"]["RunnerTokenId"];
            poolId: components["schemas"]["RunnerPoolId"];
            /**
             * @description The beginning of the token, to identify it; null for `TROUPE_RUNNER_TOKEN`.
             * @example trr_7hQ2
             */
            prefix: string | null;
            /**
             * @description `configuration` is the token of `TROUPE_RUNNER_TOKEN`: only the operator can change it, not the API.
             * @enum {string}
             */
            origin: "api" | "configuration";
            /**
             * @description Expired tokens keep their status; see `expiresAt`.
             * @enum {string}
             */
            status: "active" | "revoked";
            /** @description When the token expires; null if it does not. */
            expiresAt: components["schemas"]["Timestamp"] | null;
            /** @description The last use, with a precision of one minute. */
            lastUsedAt: components["schemas"]["Timestamp"] | null;
            /** @description Null for the token of the configuration. */
            createdBy: components["schemas"]["UserId"] | null;
            /** @description Creation */
            createdAt: components["schemas"]["Timestamp"];
            /** @description The token, for the `TROUPE_RUNNER_TOKEN` of a runner. Shown only once. */
            secret: string;
        };
        CreatedRunnerTokenAnswer: {
            data: components["schemas"]["CreatedRunnerToken"];
        };
        /** @description Settings of kind `custom`: at most 16 KiB of JSON. */
        CustomSettings: {
            [key: string]: unknown;
        };
        /** @description Settings of kind `database`. */
        DatabaseSettings: {
            /**
             * @description The database engine.
             * @example postgres
             */
            engine: string;
            /**
             * @description A host name or an address.
             * @example db.example.com
             */
            host: string;
            port: number;
            /** @description The name of the database. */
            database: string;
        };
        /** @description A decision on an approval. */
        Decision: {
            /** @description The reason; for a rejection, the model that made the call gets it. */
            note?: string;
        };
        /** @description The identity of a Definition; what it says is in its revisions. */
        Definition: {
            id: components["schemas"]["DefinitionId"];
            projectId: components["schemas"]["ProjectId"];
            /**
             * @description Unique in the Project.
             * @example orders
             */
            name: string;
            /**
             * @description The content of its source, which is immutable.
             * @enum {string}
             */
            kind: "operations" | "workflow" | "entity";
            description: string | null;
            /**
             * @description Whether it is being deleted.
             * @enum {string}
             */
            status: "active" | "deleting";
            /** @description The revision with the highest number; null before the first. */
            latestRevisionId: components["schemas"]["DefinitionRevisionId"] | null;
            createdAt: components["schemas"]["Timestamp"];
            /** @description When the name, the description or the latest revision changed. */
            updatedAt: components["schemas"]["Timestamp"];
        };
        DefinitionAnswer: {
            data: components["schemas"]["Definition"];
        };
        /** @description A Definition that is not pinned as it was. */
        DefinitionChange: {
            /**
             * @description Its name, or its id where it has been deleted.
             * @example clerk
             */
            name: string;
            /**
             * @description What has become of it.
             * @enum {string}
             */
            change: "added" | "removed" | "changed";
            before: {
                definitionId: components["schemas"]["DefinitionId"];
                definitionRevisionId: components["schemas"]["DefinitionRevisionId"];
                /** @description Its number; null where it has been deleted. */
                number: number | null;
            } | null;
            after: {
                definitionId: components["schemas"]["DefinitionId"];
                definitionRevisionId: components["schemas"]["DefinitionRevisionId"];
                /** @description Its number; null where it has been deleted. */
                number: number | null;
            } | null;
            /** @description Of a changed one; at most 100. Differences in order alone are not listed. */
            differences: components["schemas"]["Difference"][];
        };
        /** @description The fields to change; the kind and the revisions are immutable. */
        DefinitionChanges: {
            /**
             * @description Unique in the Project.
             * @example orders
             */
            name?: string;
            /** @description Null removes it. */
            description?: string | null;
        };
        /**
         * @description The id of one `Definition`: `def_…`
         * @example def_01h455vb4pex5vsknk084sn02q
         */
        DefinitionId: string;
        DefinitionPage: {
            data: {
                items: components["schemas"]["Definition"][];
            };
            pagination: components["schemas"]["Pagination"];
        };
        /** @description A Definition as it is in one of its revisions. */
        DefinitionPin: {
            definitionId: components["schemas"]["DefinitionId"];
            definitionRevisionId: components["schemas"]["DefinitionRevisionId"];
        };
        /** @description The immutable content of a Definition. */
        DefinitionRevision: {
            id: components["schemas"]["DefinitionRevisionId"];
            definitionId: components["schemas"]["DefinitionId"];
            /** @description 1, 2, 3 … for each Definition. */
            number: number;
            /** @description What the Definition says, as the Definition's kind asks for. */
            source: components["schemas"]["OperationsSource"] | components["schemas"]["WorkflowSource"] | components["schemas"]["EntitySource"];
            /**
             * @description SHA-256 of the RFC 8785 form of `source`.
             * @example sha256:0000000000000000000000000000000000000000000000000000000000000000
             */
            sourceDigest: string;
            createdBy: {
                /** @enum {string} */
                type: "user" | "apiKey";
                /** @description The id of that principal. */
                id: string;
            };
            createdAt: components["schemas"]["Timestamp"];
        };
        DefinitionRevisionAnswer: {
            data: components["schemas"]["DefinitionRevision"];
        };
        /**
         * @description The id of one `DefinitionRevision`: `dfr_…`
         * @example dfr_01h455vb4pex5vsknk084sn02q
         */
        DefinitionRevisionId: string;
        DefinitionRevisionPage: {
            data: {
                items: components["schemas"]["DefinitionRevision"][];
            };
            pagination: components["schemas"]["Pagination"];
        };
        /** @description A preview of a Definition's source. */
        DefinitionRevisionPreview: {
            /** @description The digest that the revision would have. */
            sourceDigest: string;
            /** @description Whether the latest revision has the same source. */
            isLatest: boolean;
            machine: components["schemas"]["Machine"] | null;
            /** @description Entities in states that the source does not have. Once the revision is deployed, operations on them are refused with 409 until they are called through a Deployment whose revision has the state. null: the Definition is of another kind, or the credential may not read entities of the whole Project. */
            stranded: {
                environmentId: components["schemas"]["EnvironmentId"];
                /** @description A state that the source does not have. */
                state: string;
                /** @description The number of entities in it. */
                count: number;
                /** @description Whether there are more than were counted. */
                hasMore: boolean;
            }[] | null;
        };
        DefinitionRevisionPreviewAnswer: {
            data: components["schemas"]["DefinitionRevisionPreview"];
        };
        /** @description Which Agent takes on the work that is handed to a delegate. */
        DelegateAttachment: {
            /** @description The Agent that hands work on. */
            agentId: components["schemas"]["AgentId"];
            /**
             * @description The name of a delegate in the content of the Agent.
             * @example researcher
             */
            name: string;
            /**
             * @description The Agent behind the name: one that the Release pins, or a System Agent.
             * @example agt_01h455vb4pex5vsknk084sn02q
             */
            delegateAgentId: string;
        };
        /** @description Exactly one of `result` and `error`. */
        DelegateResult: {
            /** @description The `toolCallId` in `awaiting`. */
            toolCallId: string;
            /** @description The delegate's result. */
            result?: unknown;
            /** @description The error, if the delegate failed. */
            error?: {
                code: string;
                message: string;
            };
        };
        /** @description The progress of a deletion; present while the status is `deleting`. */
        DeletionProgress: {
            requestedAt: components["schemas"]["Timestamp"];
            /** @description The number of runs to remove that have been counted so far. */
            runsCounted: number;
            /** @description Whether all runs have been counted. Counting starts when no run is live. */
            isCounted: boolean;
            /** @description The number of runs removed, with their content. */
            runsRemoved: number;
            /** @description The number of other records removed, such as events, deliveries and revisions. */
            recordsRemoved: number;
        };
        /** @description One attempt of a delivery. */
        DeliveryAttempt: {
            /** @description 1, 2, 3 … since creation or the last retry. */
            number: number;
            /** @description The status of the answer; null without an answer. */
            status: number | null;
            /**
             * @description null if the endpoint accepted it.
             * @enum {string|null}
             */
            errorClass: "dns_error" | "blocked_address" | "connect_refused" | "connect_timeout" | "tls_error" | "timeout" | "reset" | "http_status" | "redirect" | "invalid_response" | "secret_unreadable" | "lease_expired" | null;
            durationMs: number;
            /** @description When the attempt started. */
            at: components["schemas"]["Timestamp"];
            /** @description The first KiB of the body of a refusal, if the webhook has `captureResponses`; invalid UTF-8 is replaced. */
            response?: string;
        };
        /** @description The tools of an Agent, as its model gets them. */
        DeployedTools: {
            items: {
                /**
                 * @description The model's name for it.
                 * @example look_up_order
                 */
                name: string;
                /**
                 * @description The user on whose behalf its calls are made.
                 * @enum {string}
                 */
                kind: "operation" | "workflow" | "interactive" | "builtin";
                /** @description Its description for the model. */
                description: string;
                /** @description Its input. */
                inputSchema: {
                    [key: string]: unknown;
                };
                /** @description The operation that it calls: `<definition>.<operation>`. */
                operation: string | null;
                /** @description The workflow that it runs. */
                workflow: string | null;
            }[];
        };
        DeployedToolsAnswer: {
            data: components["schemas"]["DeployedTools"];
        };
        /** @description A Release, prepared for one Environment under one Configuration Revision. */
        Deployment: {
            id: components["schemas"]["DeploymentId"];
            environmentId: components["schemas"]["EnvironmentId"];
            releaseId: components["schemas"]["ReleaseId"];
            configurationRevisionId: components["schemas"]["ConfigurationRevisionId"];
            /**
             * @description `pinned`: each credential in the version that the Configuration Revision holds. `current`: the current versions of the credentials of Connections and settings; for a roll-back with current secrets. Default `pinned`.
             * @enum {string}
             */
            credentials: "pinned" | "current";
            /**
             * @description The state of its statechart: `GET /api/v1/machines/deployment`.
             * @enum {string}
             */
            state: "queued" | "validating" | "provisioning" | "materializing" | "ready" | "failed" | "canceled";
            /** @description Why it failed. */
            stateReason: {
                /** @example validation_failed */
                code: string;
                message: string;
                /** @description All problems. */
                issues?: {
                    /** @example binding_missing */
                    code: string;
                    /**
                     * @description The affected part.
                     * @example /agents/agt_…/bindings/shop
                     */
                    path: string;
                    message: string;
                }[];
            } | null;
            /** @description SHA-256 of its names and contents, once it is ready: equal contents have equal digests. */
            digest: string | null;
            createdBy: {
                /** @enum {string} */
                type: "user" | "apiKey";
                /** @description The id of that principal. */
                id: string;
            };
            createdAt: components["schemas"]["Timestamp"];
            /** @description When its state last changed. */
            updatedAt: components["schemas"]["Timestamp"];
            readyAt: components["schemas"]["Timestamp"] | null;
        };
        DeploymentAnswer: {
            data: components["schemas"]["Deployment"];
        };
        /** @description A Deployment was canceled. */
        DeploymentCanceledEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "deployment.canceled";
            /** @description When the change was made. */
            timestamp: components["schemas"]["Timestamp"];
            /** @description 1, 2, 3 … for each Environment, without gaps. */
            sequence: number;
            organizationId: components["schemas"]["OrganizationId"];
            projectId: components["schemas"]["ProjectId"];
            environmentId: components["schemas"]["EnvironmentId"];
            /** @description The subject of the event. */
            subject: {
                /** @enum {string} */
                type: "agentRun" | "deployment" | "environment" | "operationInvocation" | "operationApproval" | "entity" | "systemAgent" | "workflowRun" | "agentJob" | "webhook" | "organization" | "alertRule";
                /** @description Its id. */
                id: string;
            };
            /** @description Who caused the event. */
            actor: {
                /** @enum {string} */
                type: "user" | "apiKey" | "system" | "runner" | "agentJob" | "workflow";
                /** @description Its id. */
                id: string;
            };
            data: {
                deploymentId: components["schemas"]["DeploymentId"];
                releaseId: components["schemas"]["ReleaseId"];
                configurationRevisionId: components["schemas"]["ConfigurationRevisionId"];
                /** @description The previous state. */
                from: string | null;
                /** @constant */
                to: "canceled";
            };
        };
        /** @description The differences of a Deployment from another one. */
        DeploymentDiff: {
            before: {
                deploymentId: components["schemas"]["DeploymentId"];
                configurationRevisionId: components["schemas"]["ConfigurationRevisionId"];
                /** @description The number of the Configuration Revision. */
                configurationNumber: number;
                /**
                 * @description `pinned`: each credential in the version that the Configuration Revision holds. `current`: the current versions of the credentials of Connections and settings; for a roll-back with current secrets. Default `pinned`.
                 * @enum {string}
                 */
                credentials: "pinned" | "current";
            };
            after: {
                deploymentId: components["schemas"]["DeploymentId"];
                configurationRevisionId: components["schemas"]["ConfigurationRevisionId"];
                /** @description The number of the Configuration Revision. */
                configurationNumber: number;
                /**
                 * @description `pinned`: each credential in the version that the Configuration Revision holds. `current`: the current versions of the credentials of Connections and settings; for a roll-back with current secrets. Default `pinned`.
                 * @enum {string}
                 */
                credentials: "pinned" | "current";
            };
            release: components["schemas"]["ReleaseDiff"];
            /** @description Changed variables by name; never their values. */
            variables: components["schemas"]["VariableChange"][];
            /** @description Changed Connections by name. */
            connections: components["schemas"]["ConnectionChange"][];
            /** @description Changed provider settings by Agent. */
            providerSettings: components["schemas"]["ProviderSettingChange"][];
            /** @description Whether there are more differences. */
            truncated: boolean;
        };
        DeploymentDiffAnswer: {
            data: components["schemas"]["DeploymentDiff"];
        };
        /** @description A Deployment has failed. */
        DeploymentFailedEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "deployment.failed";
            /** @description When the change was made. */
            timestamp: components["schemas"]["Timestamp"];
            /** @description 1, 2, 3 … for each Environment, without gaps. */
            sequence: number;
            organizationId: components["schemas"]["OrganizationId"];
            projectId: components["schemas"]["ProjectId"];
            environmentId: components["schemas"]["EnvironmentId"];
            /** @description The subject of the event. */
            subject: {
                /** @enum {string} */
                type: "agentRun" | "deployment" | "environment" | "operationInvocation" | "operationApproval" | "entity" | "systemAgent" | "workflowRun" | "agentJob" | "webhook" | "organization" | "alertRule";
                /** @description Its id. */
                id: string;
            };
            /** @description Who caused the event. */
            actor: {
                /** @enum {string} */
                type: "user" | "apiKey" | "system" | "runner" | "agentJob" | "workflow";
                /** @description Its id. */
                id: string;
            };
            data: {
                deploymentId: components["schemas"]["DeploymentId"];
                releaseId: components["schemas"]["ReleaseId"];
                configurationRevisionId: components["schemas"]["ConfigurationRevisionId"];
                /** @description The previous state. */
                from: string | null;
                /** @constant */
                to: "failed";
            };
        };
        /**
         * @description The id of one `Deployment`: `dep_…`
         * @example dep_01h455vb4pex5vsknk084sn02q
         */
        DeploymentId: string;
        /** @description The bundle of a Deployment is being built. */
        DeploymentMaterializingEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "deployment.materializing";
            /** @description When the change was made. */
            timestamp: components["schemas"]["Timestamp"];
            /** @description 1, 2, 3 … for each Environment, without gaps. */
            sequence: number;
            organizationId: components["schemas"]["OrganizationId"];
            projectId: components["schemas"]["ProjectId"];
            environmentId: components["schemas"]["EnvironmentId"];
            /** @description The subject of the event. */
            subject: {
                /** @enum {string} */
                type: "agentRun" | "deployment" | "environment" | "operationInvocation" | "operationApproval" | "entity" | "systemAgent" | "workflowRun" | "agentJob" | "webhook" | "organization" | "alertRule";
                /** @description Its id. */
                id: string;
            };
            /** @description Who caused the event. */
            actor: {
                /** @enum {string} */
                type: "user" | "apiKey" | "system" | "runner" | "agentJob" | "workflow";
                /** @description Its id. */
                id: string;
            };
            data: {
                deploymentId: components["schemas"]["DeploymentId"];
                releaseId: components["schemas"]["ReleaseId"];
                configurationRevisionId: components["schemas"]["ConfigurationRevisionId"];
                /** @description The previous state. */
                from: string | null;
                /** @constant */
                to: "materializing";
            };
        };
        DeploymentPage: {
            data: {
                items: components["schemas"]["Deployment"][];
            };
            pagination: components["schemas"]["Pagination"];
        };
        /** @description The secrets of a Deployment are being checked. */
        DeploymentProvisioningEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "deployment.provisioning";
            /** @description When the change was made. */
            timestamp: components["schemas"]["Timestamp"];
            /** @description 1, 2, 3 … for each Environment, without gaps. */
            sequence: number;
            organizationId: components["schemas"]["OrganizationId"];
            projectId: components["schemas"]["ProjectId"];
            environmentId: components["schemas"]["EnvironmentId"];
            /** @description The subject of the event. */
            subject: {
                /** @enum {string} */
                type: "agentRun" | "deployment" | "environment" | "operationInvocation" | "operationApproval" | "entity" | "systemAgent" | "workflowRun" | "agentJob" | "webhook" | "organization" | "alertRule";
                /** @description Its id. */
                id: string;
            };
            /** @description Who caused the event. */
            actor: {
                /** @enum {string} */
                type: "user" | "apiKey" | "system" | "runner" | "agentJob" | "workflow";
                /** @description Its id. */
                id: string;
            };
            data: {
                deploymentId: components["schemas"]["DeploymentId"];
                releaseId: components["schemas"]["ReleaseId"];
                configurationRevisionId: components["schemas"]["ConfigurationRevisionId"];
                /** @description The previous state. */
                from: string | null;
                /** @constant */
                to: "provisioning";
            };
        };
        /** @description A Deployment was submitted. */
        DeploymentQueuedEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "deployment.queued";
            /** @description When the change was made. */
            timestamp: components["schemas"]["Timestamp"];
            /** @description 1, 2, 3 … for each Environment, without gaps. */
            sequence: number;
            organizationId: components["schemas"]["OrganizationId"];
            projectId: components["schemas"]["ProjectId"];
            environmentId: components["schemas"]["EnvironmentId"];
            /** @description The subject of the event. */
            subject: {
                /** @enum {string} */
                type: "agentRun" | "deployment" | "environment" | "operationInvocation" | "operationApproval" | "entity" | "systemAgent" | "workflowRun" | "agentJob" | "webhook" | "organization" | "alertRule";
                /** @description Its id. */
                id: string;
            };
            /** @description Who caused the event. */
            actor: {
                /** @enum {string} */
                type: "user" | "apiKey" | "system" | "runner" | "agentJob" | "workflow";
                /** @description Its id. */
                id: string;
            };
            data: {
                deploymentId: components["schemas"]["DeploymentId"];
                releaseId: components["schemas"]["ReleaseId"];
                configurationRevisionId: components["schemas"]["ConfigurationRevisionId"];
                /** @description The previous state. */
                from: string | null;
                /** @constant */
                to: "queued";
            };
        };
        /** @description A Deployment can be activated. */
        DeploymentReadyEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "deployment.ready";
            /** @description When the change was made. */
            timestamp: components["schemas"]["Timestamp"];
            /** @description 1, 2, 3 … for each Environment, without gaps. */
            sequence: number;
            organizationId: components["schemas"]["OrganizationId"];
            projectId: components["schemas"]["ProjectId"];
            environmentId: components["schemas"]["EnvironmentId"];
            /** @description The subject of the event. */
            subject: {
                /** @enum {string} */
                type: "agentRun" | "deployment" | "environment" | "operationInvocation" | "operationApproval" | "entity" | "systemAgent" | "workflowRun" | "agentJob" | "webhook" | "organization" | "alertRule";
                /** @description Its id. */
                id: string;
            };
            /** @description Who caused the event. */
            actor: {
                /** @enum {string} */
                type: "user" | "apiKey" | "system" | "runner" | "agentJob" | "workflow";
                /** @description Its id. */
                id: string;
            };
            data: {
                deploymentId: components["schemas"]["DeploymentId"];
                releaseId: components["schemas"]["ReleaseId"];
                configurationRevisionId: components["schemas"]["ConfigurationRevisionId"];
                /** @description The previous state. */
                from: string | null;
                /** @constant */
                to: "ready";
            };
        };
        /** @description A Deployment is being validated. */
        DeploymentValidatingEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "deployment.validating";
            /** @description When the change was made. */
            timestamp: components["schemas"]["Timestamp"];
            /** @description 1, 2, 3 … for each Environment, without gaps. */
            sequence: number;
            organizationId: components["schemas"]["OrganizationId"];
            projectId: components["schemas"]["ProjectId"];
            environmentId: components["schemas"]["EnvironmentId"];
            /** @description The subject of the event. */
            subject: {
                /** @enum {string} */
                type: "agentRun" | "deployment" | "environment" | "operationInvocation" | "operationApproval" | "entity" | "systemAgent" | "workflowRun" | "agentJob" | "webhook" | "organization" | "alertRule";
                /** @description Its id. */
                id: string;
            };
            /** @description Who caused the event. */
            actor: {
                /** @enum {string} */
                type: "user" | "apiKey" | "system" | "runner" | "agentJob" | "workflow";
                /** @description Its id. */
                id: string;
            };
            data: {
                deploymentId: components["schemas"]["DeploymentId"];
                releaseId: components["schemas"]["ReleaseId"];
                configurationRevisionId: components["schemas"]["ConfigurationRevisionId"];
                /** @description The previous state. */
                from: string | null;
                /** @constant */
                to: "validating";
            };
        };
        /** @description The operations, the scope and the expiry of the program's key. */
        DeviceApproval: {
            /**
             * @description Permission names; `family:*` and `*` expand to all that exist today.
             * @example [
             *       "agent-runs:*",
             *       "projects:get"
             *     ]
             */
            operations: string[];
            /** @description Binds the key to a Project. */
            projectId?: components["schemas"]["ProjectId"];
            /** @description Binds the key to an Environment; requires `projectId`. */
            environmentId?: components["schemas"]["EnvironmentId"];
            /** @description Binds the key to an Agent; requires `projectId`. */
            agentId?: components["schemas"]["AgentId"];
            /** @description At most 366 days ahead; default 90 days from now. */
            expiresAt?: components["schemas"]["Timestamp"];
        };
        /** @description The codes of a program that waits for its API key. */
        DeviceAuthorization: {
            /** @description The secret that the program exchanges for its key. Shown only here; keep it secret. */
            deviceCode: string;
            /**
             * @description The code that the person compares or types.
             * @example BCDF-GHJK
             */
            userCode: string;
            /** @description The page of the console on which a person types the code. */
            verificationUrl: string;
            /** @description The same page with the code. */
            verificationUrlComplete: string;
            /** @description Ten minutes from now. An approval gives the program at least five more. */
            expiresAt: components["schemas"]["Timestamp"];
            /** @description How long to wait between two exchanges. */
            intervalSeconds: number;
        };
        DeviceAuthorizationAnswer: {
            data: components["schemas"]["DeviceAuthorization"];
        };
        /** @description The secret code of the program. */
        DeviceCode: {
            deviceCode: string;
        };
        /** @description One place where two contents differ. */
        Difference: {
            /**
             * @description A JSON Pointer; members of a list that have a `name`, `bindingKey` or `id` stand under it.
             * @example /tools/find_order/operation
             */
            path: string;
            /** @description Absent if it did not exist before. */
            before?: unknown;
            /** @description Absent if it no longer exists. */
            after?: unknown;
            /** @description Whether a value has more than 500 characters of JSON and is shortened, or the credential may not read the values, and both are left out. */
            shortened: boolean;
        };
        /** @description An entity was created. */
        DomainEntityCreatedEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "domain.entity.created";
            /** @description When the change was made. */
            timestamp: components["schemas"]["Timestamp"];
            /** @description 1, 2, 3 … for each Environment, without gaps. */
            sequence: number;
            organizationId: components["schemas"]["OrganizationId"];
            projectId: components["schemas"]["ProjectId"];
            environmentId: components["schemas"]["EnvironmentId"];
            /** @description The subject of the event. */
            subject: {
                /** @enum {string} */
                type: "agentRun" | "deployment" | "environment" | "operationInvocation" | "operationApproval" | "entity" | "systemAgent" | "workflowRun" | "agentJob" | "webhook" | "organization" | "alertRule";
                /** @description Its id. */
                id: string;
            };
            /** @description Who caused the event. */
            actor: {
                /** @enum {string} */
                type: "user" | "apiKey" | "system" | "runner" | "agentJob" | "workflow";
                /** @description Its id. */
                id: string;
            };
            data: {
                /** @description The name of its Definition. */
                type: string;
                from: null;
                /** @description A state of its statechart. */
                to: string;
                /** @description Increases by 1 with every change. */
                version: number;
            };
        };
        /** @description An entity was deleted. */
        DomainEntityDeletedEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "domain.entity.deleted";
            /** @description When the change was made. */
            timestamp: components["schemas"]["Timestamp"];
            /** @description 1, 2, 3 … for each Environment, without gaps. */
            sequence: number;
            organizationId: components["schemas"]["OrganizationId"];
            projectId: components["schemas"]["ProjectId"];
            environmentId: components["schemas"]["EnvironmentId"];
            /** @description The subject of the event. */
            subject: {
                /** @enum {string} */
                type: "agentRun" | "deployment" | "environment" | "operationInvocation" | "operationApproval" | "entity" | "systemAgent" | "workflowRun" | "agentJob" | "webhook" | "organization" | "alertRule";
                /** @description Its id. */
                id: string;
            };
            /** @description Who caused the event. */
            actor: {
                /** @enum {string} */
                type: "user" | "apiKey" | "system" | "runner" | "agentJob" | "workflow";
                /** @description Its id. */
                id: string;
            };
            data: {
                /** @description The name of its Definition. */
                type: string;
                /** @description A state of its statechart. */
                from: string;
                to: null;
                /** @description Increases by 1 with every change. */
                version: number;
            };
        };
        /** @description The state of an entity has changed. */
        DomainEntityTransitionedEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "domain.entity.transitioned";
            /** @description When the change was made. */
            timestamp: components["schemas"]["Timestamp"];
            /** @description 1, 2, 3 … for each Environment, without gaps. */
            sequence: number;
            organizationId: components["schemas"]["OrganizationId"];
            projectId: components["schemas"]["ProjectId"];
            environmentId: components["schemas"]["EnvironmentId"];
            /** @description The subject of the event. */
            subject: {
                /** @enum {string} */
                type: "agentRun" | "deployment" | "environment" | "operationInvocation" | "operationApproval" | "entity" | "systemAgent" | "workflowRun" | "agentJob" | "webhook" | "organization" | "alertRule";
                /** @description Its id. */
                id: string;
            };
            /** @description Who caused the event. */
            actor: {
                /** @enum {string} */
                type: "user" | "apiKey" | "system" | "runner" | "agentJob" | "workflow";
                /** @description Its id. */
                id: string;
            };
            data: {
                /** @description The name of its Definition. */
                type: string;
                /** @description A state of its statechart. */
                from: string;
                /** @description A state of its statechart. */
                to: string;
                /** @description Increases by 1 with every change. */
                version: number;
            };
        };
        /** @description The data of an entity has changed. */
        DomainEntityUpdatedEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "domain.entity.updated";
            /** @description When the change was made. */
            timestamp: components["schemas"]["Timestamp"];
            /** @description 1, 2, 3 … for each Environment, without gaps. */
            sequence: number;
            organizationId: components["schemas"]["OrganizationId"];
            projectId: components["schemas"]["ProjectId"];
            environmentId: components["schemas"]["EnvironmentId"];
            /** @description The subject of the event. */
            subject: {
                /** @enum {string} */
                type: "agentRun" | "deployment" | "environment" | "operationInvocation" | "operationApproval" | "entity" | "systemAgent" | "workflowRun" | "agentJob" | "webhook" | "organization" | "alertRule";
                /** @description Its id. */
                id: string;
            };
            /** @description Who caused the event. */
            actor: {
                /** @enum {string} */
                type: "user" | "apiKey" | "system" | "runner" | "agentJob" | "workflow";
                /** @description Its id. */
                id: string;
            };
            data: {
                /** @description The name of its Definition. */
                type: string;
                /** @description A state of its statechart. */
                from: string;
                /** @description A state of its statechart. */
                to: string;
                /** @description Increases by 1 with every change. */
                version: number;
            };
        };
        /** @description Shows the live chart of one actor to anyone who has its address. */
        EmbedTicket: {
            /** @description The page with the live chart, for a frame. */
            url: string;
            /** @description The ticket in it. */
            ticket: string;
            /** @description It ends earlier if the credential that issued it ends or can no longer read the actor. */
            expiresAt: components["schemas"]["Timestamp"];
        };
        EmbedTicketAnswer: {
            data: components["schemas"]["EmbedTicket"];
        };
        /** @description An event of the stream of an embedded actor. */
        EmbeddedActorEvent: {
            /** @constant */
            event: "actor.snapshot";
            /** @description For `Last-Event-ID`. */
            id: string;
            data: {
                address: {
                    /**
                     * @description The kind of actor.
                     * @example run
                     */
                    kind: string;
                    id: string;
                };
                machineVersion: string;
                state: string;
                journal: {
                    /** @description 1, 2, 3 … without gaps. */
                    sequence: number;
                    /** @description The state before; null at creation. */
                    from: string | null;
                    /** @description The state after; equal to `from` if unchanged. */
                    to: string;
                    /** @description The event that caused the transition. */
                    event: string;
                    at: components["schemas"]["Timestamp"];
                }[];
            };
        } | {
            /** @constant */
            event: "actor.transition";
            /** @description For `Last-Event-ID`. */
            id: string;
            /** @description One entry of the journal of an actor. */
            data: {
                /** @description 1, 2, 3 … without gaps. */
                sequence: number;
                /** @description The state before; null at creation. */
                from: string | null;
                /** @description The state after; equal to `from` if unchanged. */
                to: string;
                /** @description The event that caused the transition. */
                event: string;
                at: components["schemas"]["Timestamp"];
            };
        } | {
            /** @constant */
            event: "end";
            /** @description For `Last-Event-ID`. */
            id: string;
            data: {
                sequence: number;
                state: string;
            };
        } | {
            /** @constant */
            event: "end";
            data: {
                /** @constant */
                reason: "revoked";
                at: components["schemas"]["Timestamp"];
            };
        };
        /** @description Data with a lifecycle: operations change it, as its statechart allows. */
        Entity: {
            id: components["schemas"]["EntityId"];
            /**
             * @description The name of its Definition.
             * @example order
             */
            type: string;
            /**
             * @description A state of its Definition's statechart.
             * @example open
             */
            state: string;
            /** @description Increases by 1 with every change. */
            version: number;
            /** @description Valid by the schema of its Definition at the time of writing. */
            data: {
                [key: string]: unknown;
            };
            createdAt: components["schemas"]["Timestamp"];
            updatedAt: components["schemas"]["Timestamp"];
        };
        EntityAnswer: {
            data: components["schemas"]["Entity"];
        };
        /**
         * @description The id of one `Entity`: `ent_…`
         * @example ent_01h455vb4pex5vsknk084sn02q
         */
        EntityId: string;
        EntityPage: {
            data: {
                items: components["schemas"]["Entity"][];
            };
            pagination: components["schemas"]["Pagination"];
        };
        /** @description The source of a Definition of kind `entity`: data with a lifecycle. */
        EntitySource: {
            /** @description The data of an entity: an object. JSON Schema, draft 2020-12 unless `$schema` says. */
            schema: {
                [key: string]: unknown;
            };
            /** @description The statechart of each entity. */
            states: {
                /**
                 * @description The state that an entity begins in.
                 * @example open
                 */
                initial: string;
                /**
                 * @description By name.
                 * @example {
                 *       "open": {}
                 *     }
                 */
                states: {
                    [key: string]: {
                        /**
                         * @description The next state, by event.
                         * @example {
                         *       "pay": "paid"
                         *     }
                         */
                        on?: {
                            [key: string]: string;
                        };
                        /** @description Nothing leads out of it. */
                        final?: boolean;
                    };
                };
            };
        };
        /** @description One of the three Environments of a Project. */
        Environment: {
            id: components["schemas"]["EnvironmentId"];
            projectId: components["schemas"]["ProjectId"];
            /** @enum {string} */
            kind: "development" | "preview" | "production";
            /** @example Development */
            name: string;
            /**
             * @description The state of its statechart: `GET /api/v1/machines/environment`.
             * @enum {string}
             */
            lifecycle: "provisioning" | "active" | "deleting";
            /** @description Increases by one with every Activation. */
            generation: number;
            /** @description The latest Configuration Revision. */
            configurationHead: {
                revisionId: components["schemas"]["ConfigurationRevisionId"];
                /** @description 0 is the initial, empty one. */
                number: number;
            };
            /** @description dep_…; null before the first Activation. */
            activeDeploymentId: string | null;
            createdAt: components["schemas"]["Timestamp"];
            updatedAt: components["schemas"]["Timestamp"];
        };
        EnvironmentAnswer: {
            data: components["schemas"]["Environment"];
        };
        /**
         * @description The lifecycle to move to, and the expected current one: both or neither.
         * @example {
         *       "lifecycle": "active",
         *       "expectedLifecycle": "provisioning"
         *     }
         */
        EnvironmentChanges: {
            /** @enum {string} */
            lifecycle?: "provisioning" | "active";
            /** @enum {string} */
            expectedLifecycle?: "provisioning" | "active";
        };
        EnvironmentDeadLetters: {
            projectId: components["schemas"]["ProjectId"];
            environmentId: components["schemas"]["EnvironmentId"];
            /** @description The dead letters of its webhooks. */
            deadLetters: number;
        };
        /**
         * @description The id of one `Environment`: `env_…`
         * @example env_01h455vb4pex5vsknk084sn02q
         */
        EnvironmentId: string;
        EnvironmentPage: {
            data: {
                items: components["schemas"]["Environment"][];
            };
            pagination: components["schemas"]["Pagination"];
        };
        /**
         * @description Something that has happened in an Environment.
         * @example {
         *       "id": "evt_01h455vb4pex5vsknk084sn02q",
         *       "type": "run.completed",
         *       "timestamp": "2026-01-31T12:00:00.000Z",
         *       "sequence": 42,
         *       "organizationId": "org_01h455vb4pex5vsknk084sn02q",
         *       "projectId": "prj_01h455vb4pex5vsknk084sn02q",
         *       "environmentId": "env_01h455vb4pex5vsknk084sn02q",
         *       "subject": {
         *         "type": "agentRun",
         *         "id": "run_01h455vb4pex5vsknk084sn02q"
         *       },
         *       "actor": {
         *         "type": "system",
         *         "id": "troupe"
         *       },
         *       "data": {
         *         "agentRunId": "run_01h455vb4pex5vsknk084sn02q",
         *         "agentId": "agt_01h455vb4pex5vsknk084sn02q",
         *         "agentRevisionId": "agr_01h455vb4pex5vsknk084sn02q",
         *         "deploymentId": "dep_01h455vb4pex5vsknk084sn02q",
         *         "from": "running",
         *         "to": "completed"
         *       }
         *     }
         */
        Event: {
            id: components["schemas"]["EventId"];
            type: components["schemas"]["RecordedEventKind"];
            /** @description When the change was made. */
            timestamp: components["schemas"]["Timestamp"];
            /** @description 1, 2, 3 … for each Environment, without gaps. */
            sequence: number;
            organizationId: components["schemas"]["OrganizationId"];
            projectId: components["schemas"]["ProjectId"];
            environmentId: components["schemas"]["EnvironmentId"];
            /** @description The subject of the event. */
            subject: {
                /** @enum {string} */
                type: "agentRun" | "deployment" | "environment" | "operationInvocation" | "operationApproval" | "entity" | "systemAgent" | "workflowRun" | "agentJob" | "webhook" | "organization" | "alertRule";
                /** @description Its id. */
                id: string;
            };
            /** @description Who caused the event. */
            actor: {
                /** @enum {string} */
                type: "user" | "apiKey" | "system" | "runner" | "agentJob" | "workflow";
                /** @description Its id. */
                id: string;
            };
            /** @description Ids, and the states before (`from`) and after (`to`): no secrets, and no inputs or outputs of Agents. */
            data: {
                [key: string]: unknown;
            };
        };
        /**
         * @description The id of one `Event`: `evt_…`
         * @example evt_01h455vb4pex5vsknk084sn02q
         */
        EventId: string;
        /**
         * @description The kind of event.
         * @enum {string}
         */
        EventKind: "operation.approval.status_changed" | "operation.invocation.status_changed" | "deployment.queued" | "deployment.validating" | "deployment.provisioning" | "deployment.materializing" | "deployment.ready" | "deployment.failed" | "deployment.canceled" | "activation.changed" | "run.created" | "run.started" | "run.completed" | "run.failed" | "run.canceled" | "run.expired" | "system_agent.published" | "system_agent.policy_changed" | "domain.entity.created" | "domain.entity.updated" | "domain.entity.transitioned" | "domain.entity.deleted" | "run.waiting" | "workflow.completed" | "workflow.failed" | "workflow.unknown" | "job.failed" | "job.missed" | "webhook.disabled" | "budget.warning" | "budget.exhausted" | "alert.firing" | "alert.resolved";
        /** @description An event to try. */
        EventPreview: {
            /**
             * @description The event to try, with whatever fields it has.
             * @example {
             *       "type": "cancel"
             *     }
             */
            event: string | ({
                type: string;
            } & {
                [key: string]: unknown;
            });
        };
        /** @description The result of the event. */
        EventPreviewResult: {
            accepted: boolean;
            /** @description After the event; the present one when it is not accepted. */
            state: string;
            /** @description The effects that would be requested, in order. */
            effects: string[];
        };
        EventPreviewResultAnswer: {
            data: components["schemas"]["EventPreviewResult"];
        };
        /** @description A kind of event. */
        EventType: {
            type: components["schemas"]["RecordedEventKind"];
            /** @description JSON Schema of the event: the body of a delivery, and the history's item. */
            schema: {
                [key: string]: unknown;
            };
        };
        EventTypeList: {
            data: {
                items: components["schemas"]["EventType"][];
            };
        };
        EventsPage: {
            events: components["schemas"]["Event"][];
            pagination: components["schemas"]["HistoryPagination"];
        };
        /** @description An error code and a message. */
        Failure: {
            /** @example provider_error */
            code: string;
            /** @description A sentence for people. */
            message: string;
        };
        /** @description The progress of the attempt. */
        Heartbeat: {
            /** @description The number of steps that the attempt has started. */
            lastStepSequence: number;
        };
        /** @description A message from before the run. */
        HistoryMessage: {
            /** @enum {string} */
            role: "user" | "assistant";
            content: string;
        };
        /** @description The cursor to continue the history. */
        HistoryPagination: {
            /** @description The requested page size. */
            limit: number;
            /** @description Whether there is another page. */
            hasMore: boolean;
            /** @description The rest of this pull; present if `hasMore`. Pass it as `cursor`. */
            nextCursor?: string;
            /** @description The cursor for the next read at any later time. Store it after every answer. */
            resumeCursor: string;
        };
        /** @description Settings of kind `http`. */
        HttpSettings: {
            /**
             * @description The base of its paths; without a query.
             * @example https://api.example.com/v1
             */
            baseUrl: string;
            /** @description Sent with every request. Must not set credentials, the host or the message framing. */
            headers?: {
                [key: string]: string;
            };
            /**
             * @description How the secret of the credential is sent: `basic` requires `user:password`; if omitted, it is not sent.
             * @enum {string}
             */
            auth?: "bearer" | "basic" | "header";
            /**
             * @description The header for the secret; only with `auth: header`.
             * @example X-Api-Key
             */
            headerName?: string;
        };
        /** @description The source that an import proposes. */
        Import: {
            /** @description Review it, then publish it as a revision. It cannot be published without operations. */
            source: {
                operations: components["schemas"]["Operation"][];
            };
            /** @description The skipped items. */
            skipped: {
                /** @description The document's name for it. */
                name: string;
                /** @description The reason for skipping it. */
                reason: string;
            }[];
            /** @description Settings for the Connection, from the document's servers and security schemes. */
            suggestedConnection?: {
                /** @description The first server of the document, if it is a whole URL. */
                baseUrl: string | null;
                /** @description As in the settings of a Connection. */
                auth?: string;
                /** @description The header for the secret, with `auth: header`. */
                headerName?: string;
            };
        };
        ImportAnswer: {
            data: components["schemas"]["Import"];
        };
        /** @description Something that needs attention. */
        InboxItem: {
            kind: components["schemas"]["InboxKind"];
            /** @description The id of the resource that needs attention: the approval, the run, the invocation, the workflow run, the webhook and so on; for a budget, the organization. */
            id: string;
            /**
             * @description Why it needs attention.
             * @enum {string}
             */
            reason: "firing" | "approval_pending" | "answer_awaited" | "outcome_unknown" | "disabled" | "failing" | "dead_letters" | "failed" | "expired" | "expiring" | "budget_used" | "budget_exhausted";
            /** @description The name of the operation, the tool or the resource, or the host of the endpoint. */
            title: string;
            /** @description The problem, in one sentence. */
            message: string;
            /** @description Since when it has needed attention. */
            since: components["schemas"]["Timestamp"];
            /** @description When an approval expires, or a credential, a key, a period ends. */
            dueAt: components["schemas"]["Timestamp"] | null;
            project: {
                id: components["schemas"]["ProjectId"];
                name: string;
            } | null;
            environment: {
                id: components["schemas"]["EnvironmentId"];
                name: string;
                /** @enum {string} */
                kind: "development" | "preview" | "production";
            } | null;
            /** @description The Agent, if it is about one. */
            agentId: string | null;
            /** @description For an approval or an unknown outcome: the call. */
            invocationId: components["schemas"]["OperationInvocationId"] | null;
            /** @description The run that waits, or that has made the call. */
            agentRunId: components["schemas"]["AgentRunId"] | null;
            /** @description The workflow run that waits, or whose outcome is unknown. */
            workflowRunId: components["schemas"]["WorkflowRunId"] | null;
            /** @description Of the Deployment, for items about one. */
            releaseId: components["schemas"]["ReleaseId"] | null;
            /** @description Of the Deployment, for items about one. */
            configurationRevisionId: components["schemas"]["ConfigurationRevisionId"] | null;
            /** @description For a webhook; counted up to 100. */
            deadLetters: number | null;
            /** @description For a budget: the used share. */
            percent: number | null;
        };
        /**
         * @description What it is: `alert` an alert rule that fires; `approval` an approval to decide; `waitingRun` a run that waits for an answer; `unknownOutcome` a call or a workflow run whose outcome is unknown; `webhook` one that fails, is disabled or has dead letters; `deployment` the latest of an Environment, which has failed; `connection` one that the server has disabled; `credential` and `apiKey` what has ended or is about to; `budget` minutes that are nearly used up.
         * @enum {string}
         */
        InboxKind: "alert" | "approval" | "waitingRun" | "unknownOutcome" | "webhook" | "deployment" | "connection" | "credential" | "apiKey" | "budget";
        InboxPage: {
            data: {
                /** @description The number of items of each kind that the credential can read. */
                counts: {
                    kind: components["schemas"]["InboxKind"];
                    /** @description No more than 1000 are counted. */
                    count: number;
                }[];
                /** @description The sum of the counts. */
                total: number;
                items: components["schemas"]["InboxItem"][];
            };
            pagination: components["schemas"]["Pagination"];
        };
        /** @description The organization's own OAuth client at a provider; its secret is never shown. */
        Integration: {
            id: components["schemas"]["IntegrationId"];
            /**
             * @description Preset key: 1 to 63 lower-case letters, digits and inner hyphens.
             * @example support-desk
             */
            presetKey: string;
            /**
             * @description The client id that the provider has given.
             * @example 1234567890-abc.apps.googleusercontent.com
             */
            clientId: string;
            /**
             * @description While it is `misconfigured`, no consent can be started with it.
             * @enum {string}
             */
            status: "active" | "misconfigured";
            /** @description When the provider last knew the client. */
            verifiedAt: components["schemas"]["Timestamp"] | null;
            /** @description When the provider last gave a definite answer about the client. */
            lastVerification: {
                /**
                 * @description How it ended.
                 * @enum {string}
                 */
                outcome: "verified" | "failed";
                /**
                 * @description The error code that says why the provider refuses the client.
                 * @example integration_invalid_client
                 */
                code: string | null;
                /** @description The same for people. */
                message: string;
                at: components["schemas"]["Timestamp"];
            } | null;
            /** @description The client that new flows use; a rotation adds a version. */
            currentVersion: {
                id: components["schemas"]["IntegrationVersionId"];
                number: number;
            };
            createdAt: components["schemas"]["Timestamp"];
            updatedAt: components["schemas"]["Timestamp"];
        };
        IntegrationAnswer: {
            data: components["schemas"]["Integration"];
        };
        /** @description The fields to change; others remain. */
        IntegrationChanges: {
            /**
             * @description The client id that the provider has given.
             * @example 1234567890-abc.apps.googleusercontent.com
             */
            clientId?: string;
            /** @description The client secret that the provider has given. It is never shown again. */
            clientSecret?: string;
        };
        /**
         * @description The id of one `Integration`: `int_…`
         * @example int_01h455vb4pex5vsknk084sn02q
         */
        IntegrationId: string;
        IntegrationList: {
            data: {
                items: components["schemas"]["Integration"][];
            };
        };
        /** @description The provider's last definite answer about the client. */
        IntegrationVerification: {
            integration: components["schemas"]["Integration"];
            /**
             * @description Whether the provider knows the client.
             * @enum {string}
             */
            outcome: "verified" | "failed";
            /** @description Why it failed; absent when it did not. */
            reason?: {
                /**
                 * @description The error code that says why the provider refuses the client.
                 * @example integration_invalid_client
                 */
                code: string;
                message: string;
                /** @description The provider's own error code, where it is a known one. */
                providerError: string | null;
                /** @description The status of the provider's answer. */
                httpStatus: number;
            };
        };
        IntegrationVerificationAnswer: {
            data: components["schemas"]["IntegrationVerification"];
        };
        /**
         * @description The id of one `IntegrationVersion`: `inv_…`
         * @example inv_01h455vb4pex5vsknk084sn02q
         */
        IntegrationVersionId: string;
        /** @description An invitation that has not been accepted yet. */
        Invitation: {
            id: components["schemas"]["InvitationId"];
            /** @description The invited address in lower case; null for an account. */
            email: string | null;
            /** @description The invited account, if it is for an account. */
            userId?: components["schemas"]["UserId"];
            /**
             * @description The role that the user gets.
             * @enum {string}
             */
            role: "owner" | "admin" | "member";
            /** @description The user who invited. */
            invitedBy: components["schemas"]["UserId"];
            /** @description When the invitation was created. */
            createdAt: components["schemas"]["Timestamp"];
            /** @description When the invitation expires. */
            expiresAt: components["schemas"]["Timestamp"];
        };
        /** @description The token of the invitation, and the new account. */
        InvitationAcceptance: {
            /** @description The invitation's token. */
            token: string;
            /** @description The name of the new user. */
            name: string;
            /** @description A password of 8 to 128 characters, not one of the most common ones, and not the email address. */
            password: string;
        };
        /**
         * @description The id of one `Invitation`: `ivt_…`
         * @example ivt_01h455vb4pex5vsknk084sn02q
         */
        InvitationId: string;
        InvitationPage: {
            data: {
                items: components["schemas"]["Invitation"][];
            };
            pagination: components["schemas"]["Pagination"];
        };
        /** @description The token of the invitation. */
        InvitationToken: {
            /** @description The invitation's token. */
            token: string;
        };
        /** @description A person who becomes a member by accepting the invitation. */
        InvitedMember: {
            invitation: components["schemas"]["NewInvitation"];
        };
        InvitedMemberAnswer: {
            data: components["schemas"]["InvitedMember"];
        };
        /** @description The outcome of a call. */
        InvocationResolution: {
            /**
             * @description Whether the call took effect.
             * @enum {string}
             */
            outcome: "succeeded" | "failed";
            /** @description How the outcome was established; stored with the error. */
            note?: string;
        };
        /** @description The run of a tick of a job could not be started. The journal of the job has the message. */
        JobFailedEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "job.failed";
            /** @description When the change was made. */
            timestamp: components["schemas"]["Timestamp"];
            /** @description 1, 2, 3 … for each Environment, without gaps. */
            sequence: number;
            organizationId: components["schemas"]["OrganizationId"];
            projectId: components["schemas"]["ProjectId"];
            environmentId: components["schemas"]["EnvironmentId"];
            /** @description The subject of the event. */
            subject: {
                /** @enum {string} */
                type: "agentRun" | "deployment" | "environment" | "operationInvocation" | "operationApproval" | "entity" | "systemAgent" | "workflowRun" | "agentJob" | "webhook" | "organization" | "alertRule";
                /** @description Its id. */
                id: string;
            };
            /** @description Who caused the event. */
            actor: {
                /** @enum {string} */
                type: "user" | "apiKey" | "system" | "runner" | "agentJob" | "workflow";
                /** @description Its id. */
                id: string;
            };
            data: {
                agentJobId: components["schemas"]["AgentJobId"];
                agentId: components["schemas"]["AgentId"];
                /** @description The tick. */
                scheduledFor: components["schemas"]["Timestamp"];
                /** @description The code of the error that the start was refused with, such as `agent_not_deployed`. */
                code: string;
            };
        };
        /** @description Ticks of a job were missed because the server was down. */
        JobMissedEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "job.missed";
            /** @description When the change was made. */
            timestamp: components["schemas"]["Timestamp"];
            /** @description 1, 2, 3 … for each Environment, without gaps. */
            sequence: number;
            organizationId: components["schemas"]["OrganizationId"];
            projectId: components["schemas"]["ProjectId"];
            environmentId: components["schemas"]["EnvironmentId"];
            /** @description The subject of the event. */
            subject: {
                /** @enum {string} */
                type: "agentRun" | "deployment" | "environment" | "operationInvocation" | "operationApproval" | "entity" | "systemAgent" | "workflowRun" | "agentJob" | "webhook" | "organization" | "alertRule";
                /** @description Its id. */
                id: string;
            };
            /** @description Who caused the event. */
            actor: {
                /** @enum {string} */
                type: "user" | "apiKey" | "system" | "runner" | "agentJob" | "workflow";
                /** @description Its id. */
                id: string;
            };
            data: {
                agentJobId: components["schemas"]["AgentJobId"];
                agentId: components["schemas"]["AgentId"];
                /** @description The latest missed tick. */
                scheduledFor: components["schemas"]["Timestamp"];
                /** @description The number of missed ticks among the last 20; earlier ones are not counted. */
                missed: number;
            };
        };
        /** @description The latest checkpoint with its artifact. */
        LatestCheckpoint: {
            checkpoint: components["schemas"]["Checkpoint"];
            /** @description The state that an attempt resumes from. */
            runtimeCheckpoint: {
                /** @constant */
                version: 1;
                /** @description The conversation so far. */
                messages: unknown[];
                /** @description Model steps since the latest start or continue. */
                stepCount: number;
                /** @description Calls without a result. */
                pendingToolCalls: unknown[];
                /** @description 1 for the start, one more for each continue; 0 of a fork whose message is not applied yet. */
                chain: number;
                /** @description The conversations of active delegates, by the id of the call that each answers. */
                delegates?: {
                    [key: string]: {
                        messages: unknown[];
                        stepCount: number;
                        pendingToolCalls: unknown[];
                    };
                };
            };
            stepPayload: components["schemas"]["AgentStep"] | null;
        };
        LatestCheckpointAnswer: {
            data: components["schemas"]["LatestCheckpoint"];
        };
        /** @description A lease request. */
        LeaseRequest: {
            /** @description The name of the machine. */
            machineId: string;
            /**
             * @description The number of attempts that the machine can run concurrently.
             * @default 1
             */
            slots?: number;
            /** @description How long to wait for a run, in seconds. */
            waitSeconds: number;
        };
        /** @description An attempt leased to the machine. */
        LeasedAttempt: {
            lease: {
                attemptId: components["schemas"]["AttemptId"];
                agentRunId: components["schemas"]["AgentRunId"];
                /** @description Increases with every lease. */
                fencingToken: number;
                /** @description When the lease expires unless a heartbeat renews it. */
                expiresAt: components["schemas"]["Timestamp"];
            };
            /** @description The bearer token of this attempt. */
            attemptToken: string;
            /** @description The assignment of the attempt. */
            assignment: {
                [key: string]: unknown;
            };
        };
        LeasedAttemptAnswer: {
            data: components["schemas"]["LeasedAttempt"];
        };
        /** @description A statechart: its table, and what the words in it mean. */
        Machine: {
            /**
             * @description The kind of actor.
             * @example run
             */
            kind: string;
            /**
             * @description The name of its actors.
             * @example Agent run
             */
            title: string;
            /** @description A description of such an actor and its states. Lists show its first sentence. */
            about: string;
            /** @description The version of the statechart; stored actors are migrated to it. */
            version: string;
            states: string[];
            /** @description States that belong together, or have transitions in common. An actor is in one of `states`. */
            groups: {
                name: string;
                /** @description The group around it. */
                parent: string | null;
                /** @description Including those of nested groups. */
                states: string[];
            }[];
            transitions: {
                /** @description null: creates the actor. */
                from: string | null;
                /** @description A deadline is an event, named as in the journal. */
                event: string;
                /** @description The guard that must pass; rows are tried in order. */
                guard: string | null;
                /** @description Equal to `from` when the state stays. */
                to: string;
                /** @description The requested effects, in order. */
                effects: string[];
                /** @description The state or the group that declares it, for all of its states. */
                declaredAt: string | null;
                /** @description The declared target; the group itself if each of its states remains. */
                declaredTo: string;
            }[];
            /** @description The meaning of each event. Deadlines are in `deadlines`. */
            events: {
                event: string;
                /** @description Who sends it: a client, as a command; a runner, a provider or an endpoint, as a report; or the server by itself. */
                by: "command" | "report" | "server";
                /** @description When it is sent; for a command, by which operation of this API. In Markdown. */
                says: string;
            }[];
            /** @description The meaning of each guard. */
            guards: {
                guard: string;
                /** @description The condition of the guard. */
                holdsWhen: string;
            }[];
            /** @description The meaning of each effect. */
            effects: {
                effect: string;
                /** @description What comes of it. */
                bringsAbout: string;
            }[];
            /** @description The meaning of each deadline. */
            deadlines: {
                /** @description The event that fires when the time is up. */
                event: string;
                /** @description The state in which it runs, from entry to exit. */
                states: string[];
                /** @description What it limits. */
                limits: string;
                /** @description The default duration; null: each actor has its own. */
                defaultMs: number | null;
                /** @description The setting of the server that changes it. */
                setting: string | null;
            }[];
            /** @description A config for XState's `createMachine`; it opens in Stately's editor. */
            xstate: {
                [key: string]: unknown;
            };
            /** @description A Mermaid `stateDiagram-v2`. */
            mermaid: string;
            /** @description Where everything is drawn, `down` and `right`: boxes of states and groups by name, the lines of `edges` by `{declaredAt} → {declaredTo}` with their labels, in pixels. null: it is not laid out. */
            layouts: {
                [key: string]: unknown;
            } | null;
        };
        MachineAnswer: {
            data: components["schemas"]["Machine"];
        };
        /** @description The number of actors of a kind in each state. */
        MachinePopulation: {
            /** @description Every state of the statechart, also empty ones; of entities those that some are in. */
            states: {
                /**
                 * @description A state of the statechart.
                 * @example running
                 */
                state: string;
                /** @description The number of actors in it. */
                count: number;
                /** @description When the actor that has been in the state longest entered it; null if none is in it. */
                oldestSince: components["schemas"]["Timestamp"] | null;
                /** @description The time that the last 1,000 actors spent in the state. */
                secondsInState: {
                    /** @description Half of them took no longer. null until one has left it. */
                    p50: number | null;
                    /** @description 95 in a hundred took no longer. null until one has left it. */
                    p95: number | null;
                };
            }[];
            /** @description When the actors were counted. */
            takenAt: components["schemas"]["Timestamp"];
        };
        MachinePopulationAnswer: {
            data: components["schemas"]["MachinePopulation"];
        };
        /** @description The steps to simulate from the start. */
        MachineSimulationRequest: {
            /** @description The initial time of the clock; the current time by default. Deadlines that are due by then fire with the first step. */
            at?: components["schemas"]["Timestamp"];
            /**
             * @description Fields of the context to begin with, instead of those of the copy.
             * @example {
             *       "retriesLeft": 0
             *     }
             */
            context?: {
                [key: string]: unknown;
            };
            /** @description The random value for jitter; 0 by default. */
            chance?: number;
            /** @description The creation event of the statechart, whose guard is evaluated. Omitted: the first one, and its guard passes. Only for a simulation from the start. */
            birth?: {
                /**
                 * @description The event, with whatever fields it has.
                 * @example {
                 *       "type": "cancel"
                 *     }
                 */
                event: string | ({
                    type: string;
                } & {
                    [key: string]: unknown;
                });
                /**
                 * @description Results of guards by name; guards that are named here are not evaluated.
                 * @example {
                 *       "retriesLeft": false
                 *     }
                 */
                assume?: {
                    [key: string]: boolean;
                };
            };
            /** @description Applied to the copy in this order. */
            steps: components["schemas"]["SimulationStep"][];
        };
        /** @description A statechart, in short. */
        MachineSummary: {
            /**
             * @description The kind of actor.
             * @example run
             */
            kind: string;
            version: string;
            /**
             * @description The name of its actors.
             * @example Agent run
             */
            title: string;
            /** @description A description of such an actor and its states. Lists show its first sentence. */
            about: string;
        };
        MachineSummaryList: {
            data: {
                items: components["schemas"]["MachineSummary"][];
            };
        };
        /** @description A Project by names: `docs/applies.md`. Agents without `grantedOperations` are granted what their tools need; delegates name their Agent by `agent: slug`. */
        Manifest: {
            /** @constant */
            version: 1;
            project: {
                /**
                 * @description Unique in the organization: 1 to 63 lower-case letters, digits and inner hyphens.
                 * @example support-desk
                 */
                slug: string;
                /** @description Name */
                name?: string;
            };
            /** @description By name. */
            definitions?: {
                [key: string]: {
                    /**
                     * @description The content of its source, which is immutable.
                     * @enum {string}
                     */
                    kind: "operations" | "workflow" | "entity";
                    /** @description Description */
                    description?: string;
                    /** @description What the Definition says, as the Definition's kind asks for. */
                    source: components["schemas"]["OperationsSource"] | components["schemas"]["WorkflowSource"] | components["schemas"]["EntitySource"];
                };
            };
            /** @description By slug. */
            agents?: {
                [key: string]: {
                    /** @description Default: the slug. */
                    name?: string;
                    /** @description Description */
                    description?: string;
                    content: components["schemas"]["AgentContent"];
                    /** @description The grants of runs of the revision: permission names, and `<definition>.<operation>` for operations. */
                    grantedOperations?: string[];
                };
            };
            environments?: {
                development?: {
                    /** @description By name. */
                    variables?: {
                        [key: string]: {
                            /** @description Its value. It is never shown again. */
                            value?: string;
                            /**
                             * @description The name of an organization variable.
                             * @example SHOP_TOKEN
                             */
                            fromOrganization?: string;
                            /** @description The version of the organization variable; omitted: the current one. */
                            version?: number;
                            /**
                             * @description It is set elsewhere and must already exist.
                             * @constant
                             */
                            secret?: true;
                        };
                    };
                    /** @description By name. */
                    connections?: {
                        [key: string]: {
                            /**
                             * @description The kind of service; it never changes.
                             * @enum {string}
                             */
                            kind: "http" | "database" | "object_storage" | "messaging" | "custom";
                            /** @description Its address and settings, without secrets. */
                            settings: {
                                [key: string]: unknown;
                            };
                            /** @description The label of a provider credential of the organization. */
                            credential?: string;
                            /** @description If omitted, the item is available to all Agents under its name. One Connection is created for each binding. */
                            bind?: {
                                /**
                                 * @description The Agent: 1 to 63 lower-case letters, digits and inner hyphens.
                                 * @example support-desk
                                 */
                                agent: string;
                                /**
                                 * @description The key that the Agent uses for it.
                                 * @example shop
                                 */
                                bindingKey: string;
                            }[];
                        };
                    };
                    /** @description By the slug of the Agent. */
                    models?: {
                        [key: string]: {
                            /**
                             * @description The vendor; default: the platform default.
                             * @enum {string}
                             */
                            provider?: "anthropic" | "openai" | "google" | "mistral" | "xai" | "groq" | "deepseek" | "cohere";
                            /** @description A model of the vendor. */
                            model?: string;
                            /** @description The settings of the model. */
                            settings?: {
                                [key: string]: unknown;
                            };
                            /** @description The label of a provider credential of the organization. */
                            credential?: string;
                        };
                    };
                    /** @description By name. */
                    jobs?: {
                        [key: string]: {
                            /**
                             * @description The Agent: 1 to 63 lower-case letters, digits and inner hyphens.
                             * @example support-desk
                             */
                            agent: string;
                            schedule: {
                                /** @example 30 7 * * MON-FRI */
                                cron: string;
                                /** @example Europe/Berlin */
                                timezone?: string;
                            };
                            /** @description The query for the Agent at each tick; required without a `workflow`. */
                            query?: string;
                            /**
                             * @description The workflow that each tick starts on behalf of the Agent, in place of a `query`.
                             * @example refund-order
                             */
                            workflow?: string;
                            /** @description The params of the workflow; default `{}`. */
                            params?: {
                                [key: string]: unknown;
                            };
                            /** @description Whether it runs on its schedule; default true. */
                            enabled?: boolean;
                            /**
                             * @description Default `skip`.
                             * @enum {string}
                             */
                            overlap?: "skip" | "allow";
                        };
                    };
                    /** @description By the URL of the endpoint. */
                    webhooks?: {
                        [key: string]: {
                            eventTypes: ("operation.approval.status_changed" | "operation.invocation.status_changed" | "deployment.queued" | "deployment.validating" | "deployment.provisioning" | "deployment.materializing" | "deployment.ready" | "deployment.failed" | "deployment.canceled" | "activation.changed" | "run.created" | "run.started" | "run.completed" | "run.failed" | "run.canceled" | "run.expired" | "system_agent.published" | "system_agent.policy_changed" | "domain.entity.created" | "domain.entity.updated" | "domain.entity.transitioned" | "domain.entity.deleted" | "run.waiting" | "workflow.completed" | "workflow.failed" | "workflow.unknown" | "job.failed" | "job.missed" | "webhook.disabled" | "budget.warning" | "budget.exhausted" | "alert.firing" | "alert.resolved")[];
                            /** @description Whether it gets deliveries; default: a new one does, another stays as it is. */
                            enabled?: boolean;
                        };
                    };
                };
                preview?: {
                    /** @description By name. */
                    variables?: {
                        [key: string]: {
                            /** @description Its value. It is never shown again. */
                            value?: string;
                            /**
                             * @description The name of an organization variable.
                             * @example SHOP_TOKEN
                             */
                            fromOrganization?: string;
                            /** @description The version of the organization variable; omitted: the current one. */
                            version?: number;
                            /**
                             * @description It is set elsewhere and must already exist.
                             * @constant
                             */
                            secret?: true;
                        };
                    };
                    /** @description By name. */
                    connections?: {
                        [key: string]: {
                            /**
                             * @description The kind of service; it never changes.
                             * @enum {string}
                             */
                            kind: "http" | "database" | "object_storage" | "messaging" | "custom";
                            /** @description Its address and settings, without secrets. */
                            settings: {
                                [key: string]: unknown;
                            };
                            /** @description The label of a provider credential of the organization. */
                            credential?: string;
                            /** @description If omitted, the item is available to all Agents under its name. One Connection is created for each binding. */
                            bind?: {
                                /**
                                 * @description The Agent: 1 to 63 lower-case letters, digits and inner hyphens.
                                 * @example support-desk
                                 */
                                agent: string;
                                /**
                                 * @description The key that the Agent uses for it.
                                 * @example shop
                                 */
                                bindingKey: string;
                            }[];
                        };
                    };
                    /** @description By the slug of the Agent. */
                    models?: {
                        [key: string]: {
                            /**
                             * @description The vendor; default: the platform default.
                             * @enum {string}
                             */
                            provider?: "anthropic" | "openai" | "google" | "mistral" | "xai" | "groq" | "deepseek" | "cohere";
                            /** @description A model of the vendor. */
                            model?: string;
                            /** @description The settings of the model. */
                            settings?: {
                                [key: string]: unknown;
                            };
                            /** @description The label of a provider credential of the organization. */
                            credential?: string;
                        };
                    };
                    /** @description By name. */
                    jobs?: {
                        [key: string]: {
                            /**
                             * @description The Agent: 1 to 63 lower-case letters, digits and inner hyphens.
                             * @example support-desk
                             */
                            agent: string;
                            schedule: {
                                /** @example 30 7 * * MON-FRI */
                                cron: string;
                                /** @example Europe/Berlin */
                                timezone?: string;
                            };
                            /** @description The query for the Agent at each tick; required without a `workflow`. */
                            query?: string;
                            /**
                             * @description The workflow that each tick starts on behalf of the Agent, in place of a `query`.
                             * @example refund-order
                             */
                            workflow?: string;
                            /** @description The params of the workflow; default `{}`. */
                            params?: {
                                [key: string]: unknown;
                            };
                            /** @description Whether it runs on its schedule; default true. */
                            enabled?: boolean;
                            /**
                             * @description Default `skip`.
                             * @enum {string}
                             */
                            overlap?: "skip" | "allow";
                        };
                    };
                    /** @description By the URL of the endpoint. */
                    webhooks?: {
                        [key: string]: {
                            eventTypes: ("operation.approval.status_changed" | "operation.invocation.status_changed" | "deployment.queued" | "deployment.validating" | "deployment.provisioning" | "deployment.materializing" | "deployment.ready" | "deployment.failed" | "deployment.canceled" | "activation.changed" | "run.created" | "run.started" | "run.completed" | "run.failed" | "run.canceled" | "run.expired" | "system_agent.published" | "system_agent.policy_changed" | "domain.entity.created" | "domain.entity.updated" | "domain.entity.transitioned" | "domain.entity.deleted" | "run.waiting" | "workflow.completed" | "workflow.failed" | "workflow.unknown" | "job.failed" | "job.missed" | "webhook.disabled" | "budget.warning" | "budget.exhausted" | "alert.firing" | "alert.resolved")[];
                            /** @description Whether it gets deliveries; default: a new one does, another stays as it is. */
                            enabled?: boolean;
                        };
                    };
                };
                production?: {
                    /** @description By name. */
                    variables?: {
                        [key: string]: {
                            /** @description Its value. It is never shown again. */
                            value?: string;
                            /**
                             * @description The name of an organization variable.
                             * @example SHOP_TOKEN
                             */
                            fromOrganization?: string;
                            /** @description The version of the organization variable; omitted: the current one. */
                            version?: number;
                            /**
                             * @description It is set elsewhere and must already exist.
                             * @constant
                             */
                            secret?: true;
                        };
                    };
                    /** @description By name. */
                    connections?: {
                        [key: string]: {
                            /**
                             * @description The kind of service; it never changes.
                             * @enum {string}
                             */
                            kind: "http" | "database" | "object_storage" | "messaging" | "custom";
                            /** @description Its address and settings, without secrets. */
                            settings: {
                                [key: string]: unknown;
                            };
                            /** @description The label of a provider credential of the organization. */
                            credential?: string;
                            /** @description If omitted, the item is available to all Agents under its name. One Connection is created for each binding. */
                            bind?: {
                                /**
                                 * @description The Agent: 1 to 63 lower-case letters, digits and inner hyphens.
                                 * @example support-desk
                                 */
                                agent: string;
                                /**
                                 * @description The key that the Agent uses for it.
                                 * @example shop
                                 */
                                bindingKey: string;
                            }[];
                        };
                    };
                    /** @description By the slug of the Agent. */
                    models?: {
                        [key: string]: {
                            /**
                             * @description The vendor; default: the platform default.
                             * @enum {string}
                             */
                            provider?: "anthropic" | "openai" | "google" | "mistral" | "xai" | "groq" | "deepseek" | "cohere";
                            /** @description A model of the vendor. */
                            model?: string;
                            /** @description The settings of the model. */
                            settings?: {
                                [key: string]: unknown;
                            };
                            /** @description The label of a provider credential of the organization. */
                            credential?: string;
                        };
                    };
                    /** @description By name. */
                    jobs?: {
                        [key: string]: {
                            /**
                             * @description The Agent: 1 to 63 lower-case letters, digits and inner hyphens.
                             * @example support-desk
                             */
                            agent: string;
                            schedule: {
                                /** @example 30 7 * * MON-FRI */
                                cron: string;
                                /** @example Europe/Berlin */
                                timezone?: string;
                            };
                            /** @description The query for the Agent at each tick; required without a `workflow`. */
                            query?: string;
                            /**
                             * @description The workflow that each tick starts on behalf of the Agent, in place of a `query`.
                             * @example refund-order
                             */
                            workflow?: string;
                            /** @description The params of the workflow; default `{}`. */
                            params?: {
                                [key: string]: unknown;
                            };
                            /** @description Whether it runs on its schedule; default true. */
                            enabled?: boolean;
                            /**
                             * @description Default `skip`.
                             * @enum {string}
                             */
                            overlap?: "skip" | "allow";
                        };
                    };
                    /** @description By the URL of the endpoint. */
                    webhooks?: {
                        [key: string]: {
                            eventTypes: ("operation.approval.status_changed" | "operation.invocation.status_changed" | "deployment.queued" | "deployment.validating" | "deployment.provisioning" | "deployment.materializing" | "deployment.ready" | "deployment.failed" | "deployment.canceled" | "activation.changed" | "run.created" | "run.started" | "run.completed" | "run.failed" | "run.canceled" | "run.expired" | "system_agent.published" | "system_agent.policy_changed" | "domain.entity.created" | "domain.entity.updated" | "domain.entity.transitioned" | "domain.entity.deleted" | "run.waiting" | "workflow.completed" | "workflow.failed" | "workflow.unknown" | "job.failed" | "job.missed" | "webhook.disabled" | "budget.warning" | "budget.exhausted" | "alert.firing" | "alert.resolved")[];
                            /** @description Whether it gets deliveries; default: a new one does, another stays as it is. */
                            enabled?: boolean;
                        };
                    };
                };
            };
        };
        ManifestAnswer: {
            data: components["schemas"]["Manifest"];
        };
        /** @description The tools of an MCP server, as they are now. */
        McpToolList: {
            /** @description The server's name for itself. */
            serverInfo: {
                /** @example search */
                name: string;
                /** @example 1.0.0 */
                version: string;
            };
            items: {
                /**
                 * @description Its name at the server.
                 * @example find
                 */
                name: string;
                /** @description What the server says about it. */
                description: string;
                /** @description Its input. */
                inputSchema: {
                    [key: string]: unknown;
                };
                /** @description Its output. */
                outputSchema: {
                    [key: string]: unknown;
                } | null;
                /** @description The server's annotations of its effect; only hints. */
                annotations: {
                    [key: string]: unknown;
                };
            }[];
        };
        McpToolListAnswer: {
            data: components["schemas"]["McpToolList"];
        };
        /** @description A user in an organization. */
        Member: {
            userId: components["schemas"]["UserId"];
            email: string;
            /** @description Whether the user has verified the address. */
            emailVerified: boolean;
            name: string;
            /**
             * @description owner: everything; admin: all but deletion and billing; member: what access grants give in Projects.
             * @enum {string}
             */
            role: "owner" | "admin" | "member";
            createdAt: components["schemas"]["Timestamp"];
        };
        MemberAnswer: {
            data: components["schemas"]["Member"];
        };
        /** @description The new role; without one nothing changes. */
        MemberChanges: {
            /**
             * @description owner: everything; admin: all but deletion and billing; member: what access grants give in Projects.
             * @enum {string}
             */
            role?: "owner" | "admin" | "member";
        };
        MemberPage: {
            data: {
                items: components["schemas"]["Member"][];
            };
            pagination: components["schemas"]["Pagination"];
        };
        /** @description Settings of kind `messaging`. */
        MessagingSettings: {
            /**
             * @description The protocol of the broker.
             * @example amqp
             */
            protocol: string;
            /**
             * @description The address of the broker.
             * @example amqps://broker.example.com/orders
             */
            url: string;
            /** @description A topic, queue or channel. */
            topic?: string;
        };
        NamedResource: {
            /** @description As it is in paths. */
            id: string;
            /**
             * @description What it is.
             * @enum {string}
             */
            kind: "Project" | "Environment" | "Agent" | "Definition";
            name: string;
            /** @description Null for what has none: Environments and Definitions. */
            slug: string | null;
            /** @description The Project that it is in, or that it is. */
            projectId: components["schemas"]["ProjectId"];
            projectName: string;
        };
        NamedResourceList: {
            data: {
                items: components["schemas"]["NamedResource"][];
            };
        };
        /** @description A new access grant. */
        NewAccessGrant: {
            subject: {
                /** @enum {string} */
                type: "user" | "userGroup";
                /**
                 * @description usr_… or ugr_…, of the same organization.
                 * @example usr_01h455vb4pex5vsknk084sn02q
                 */
                id: string;
            };
            /**
             * @description Names of permissions, `family:*` or `*`; only permissions within a Project.
             * @example [
             *       "agents:*",
             *       "agent-runs:create"
             *     ]
             */
            permissions: string[];
        };
        /** @description A new Activation. */
        NewActivation: {
            /** @description A Deployment of the Environment that is ready. */
            deploymentId: components["schemas"]["DeploymentId"];
            /** @description The `generation` of the Environment that you have read. */
            expectedGeneration: number;
        };
        /** @description The identity of a new Agent. */
        NewAgent: {
            /**
             * @description Unique in the Project: 1 to 63 lower-case letters, digits and inner hyphens.
             * @example support-desk
             */
            slug: string;
            /** @description Name */
            name: string;
            /** @description Description */
            description?: string;
        };
        /** @description A new agent job. */
        NewAgentJob: {
            /** @description An Agent of the Project; a workflow runs on its behalf. */
            agentId: components["schemas"]["AgentId"];
            /** @description Name */
            name: string;
            schedule: {
                /**
                 * @description Minute, hour, day of the month, month, day of the week: numbers and names, with `*`, lists, ranges and steps. If both kinds of days are given, either one matches.
                 * @example 30 7 * * MON-FRI
                 */
                cron: string;
                /**
                 * @description IANA time zone; default `UTC`.
                 * @example Europe/Berlin
                 */
                timezone?: string;
            };
            /** @description The query sent to the Agent at each tick. Required without a `workflow`. */
            query?: string;
            /**
             * @description The workflow of the Project that each tick starts, by name or id, in place of a `query`.
             * @example refund-order
             */
            workflow?: string;
            /** @description The params of the workflow: at most 100,000 characters as JSON. Each tick checks them. Default `{}`. */
            params?: {
                [key: string]: unknown;
            };
            /** @description Whether it runs on its schedule; default true. */
            enabled?: boolean;
            /**
             * @description Default `skip`.
             * @enum {string}
             */
            overlap?: "skip" | "allow";
        };
        /** @description The new content of the Agent, and the grants of its runs. */
        NewAgentRevision: {
            content: components["schemas"]["AgentContent"];
            /** @description The grants of runs of the revision: permission names, and `<definition>.<operation>` for operations. */
            grantedOperations?: string[];
        };
        /** @description A new run. Requires a query or contents. */
        NewAgentRun: {
            /**
             * @description The agent.
             * @example agt_system_assistant
             */
            agentId: string;
            /** @description Required for Project Agents; not allowed for System Agents. */
            environmentId?: string;
            /**
             * @description The user's message, at most 5 MiB.
             * @example What day is it in 100 days?
             */
            query?: string;
            /**
             * @description If omitted, the platform default. A named provider uses a credential of the organization only.
             * @enum {string}
             */
            provider?: "anthropic" | "openai" | "google" | "mistral" | "xai" | "groq" | "deepseek" | "cohere";
            /** @description The name of a model of the provider. */
            model?: string;
            /** @description The reasoning budget: a number of tokens, or a level. */
            reasoningBudget?: number | ("low" | "medium" | "high");
            /** @description Retries after the first attempt. Default at a start: 2. */
            maxRetries?: number;
            /** @description The user on whose behalf the run acts. Requires an API key. A later message with the same `threadKey` may repeat it, but not change it. */
            subjectUserId?: string;
            /**
             * @description A key of your own for the conversation with this agent: the first start with it makes the run, a later one continues that run. 1 to 128 printable characters.
             * @example support-4711
             */
            threadKey?: string;
            /**
             * @description What a start does while the run of its `threadKey` is active: `reject` (the default) is a conflict, `enqueue` has the message wait for its turn (at most 16 wait), `interrupt` cancels the current turn and continues with the message.
             * @enum {string}
             */
            ifBusy?: "reject" | "enqueue" | "interrupt";
            /** @description When the run may start, at most 30 days ahead; it is `queued` until then, and can be canceled. A time in the past means now. Only for a new run. */
            startAt?: components["schemas"]["Timestamp"];
            /** @description The limits of the run over all attempts, delegates and continuations; the smallest of these, the limits of the Agent and those of the organization apply. */
            limits?: components["schemas"]["RunLimits"];
            /** @description At most 5 MiB each and 10 MiB in all, texts included. */
            contents?: components["schemas"]["ContentItem"][];
            /** @description Earlier messages of the conversation, oldest first. A run that is continued has its own, and is refused another. */
            history?: components["schemas"]["HistoryMessage"][];
            /**
             * @description Values for operations, as `{{run.context.x}}`: at most 16 KiB of JSON. The model does not see them. A later start with the same `threadKey` replaces them, or leaves them as they are.
             * @example {
             *       "customerId": "c-4711"
             *     }
             */
            context?: {
                [key: string]: unknown;
            };
        };
        /** @description Where a fork begins, and with what. */
        NewAgentRunFork: {
            /** @description The checkpoint of the run that the fork begins from; 0, the default, is its input. */
            checkpointId?: number;
            /**
             * @description The message of the user: in place of the input at checkpoint 0, otherwise after the conversation. At a `suspended` checkpoint it is the result of the call that the run waited for, as in a continue.
             * @example And in 200 days?
             */
            query?: string;
            /** @description The attachments of that message; at most 10 MiB. */
            contents?: components["schemas"]["ContentItem"][];
            /** @description A conversation in place of the one at the checkpoint, in the form of checkpoints. The fork makes the calls of the last message that have no result. */
            messages?: components["schemas"]["ConversationMessage"][];
            /** @description Another model of the same provider; by default the run's. */
            model?: string;
        };
        /** @description A new run with files. */
        NewAgentRunWithFiles: {
            /**
             * @description The agent.
             * @example agt_system_assistant
             */
            agentId: string;
            /** @description Required for Project Agents; not allowed for System Agents. */
            environmentId?: string;
            /**
             * @description The user's message, at most 5 MiB.
             * @example What day is it in 100 days?
             */
            query?: string;
            /**
             * @description If omitted, the platform default. A named provider uses a credential of the organization only.
             * @enum {string}
             */
            provider?: "anthropic" | "openai" | "google" | "mistral" | "xai" | "groq" | "deepseek" | "cohere";
            /** @description The name of a model of the provider. */
            model?: string;
            /** @description The reasoning budget: a number of tokens, or a level. */
            reasoningBudget?: number | ("low" | "medium" | "high");
            /** @description Retries after the first attempt. Default at a start: 2. */
            maxRetries?: number;
            /** @description The user on whose behalf the run acts. Requires an API key. A later message with the same `threadKey` may repeat it, but not change it. */
            subjectUserId?: string;
            /**
             * @description A key of your own for the conversation with this agent: the first start with it makes the run, a later one continues that run. 1 to 128 printable characters.
             * @example support-4711
             */
            threadKey?: string;
            /**
             * @description What a start does while the run of its `threadKey` is active: `reject` (the default) is a conflict, `enqueue` has the message wait for its turn (at most 16 wait), `interrupt` cancels the current turn and continues with the message.
             * @enum {string}
             */
            ifBusy?: "reject" | "enqueue" | "interrupt";
            /** @description When the run may start, at most 30 days ahead; it is `queued` until then, and can be canceled. A time in the past means now. Only for a new run. */
            startAt?: components["schemas"]["Timestamp"];
            /** @description The limits of the run over all attempts, delegates and continuations; the smallest of these, the limits of the Agent and those of the organization apply. */
            limits?: components["schemas"]["RunLimits"];
            /** @description ASCII text, images or PDF; each at most 5 MiB, 10 MiB in total. */
            files?: string[];
        };
        /** @description A new step. */
        NewAgentStep: {
            /** @description Default: the attempt's root step. */
            parentAgentStepId?: number | null;
            /** @description The step's agent: a delegate of the assignment. Default: the run's agent. */
            agentId?: string;
            /** @enum {string} */
            kind: "agent" | "model" | "tool" | "delegate";
            name: string;
            /** @description The input of the step. */
            input?: unknown;
            execution?: {
                provider?: string | null;
                model?: string | null;
                finishReason?: string | null;
                toolCallId?: string | null;
                retries?: number;
                /** @description The workflow run of a call that waits for one. */
                workflowRunId?: components["schemas"]["WorkflowRunId"];
            };
        };
        /** @description A new rule. */
        NewAlertRule: {
            /** @description Name */
            name: string;
            /** @description The watched Environment; default: all of the organization. */
            environmentId?: components["schemas"]["EnvironmentId"] | null;
            condition: components["schemas"]["AlertCondition"];
            /** @description How long the condition must hold before the rule fires. */
            holdMinutes?: number;
            /** @description How long the condition must be over before the alert resolves; a recurrence within this time belongs to the same alert. */
            resolveAfterMinutes?: number;
            /** @description Its recipients. */
            notify?: {
                /** @description Record `alert.firing` and `alert.resolved`, for webhooks that subscribe to them. */
                webhooks: boolean;
                /** @description Mail the owners and admins of the organization, where mail is set up. */
                mail: boolean;
            };
        };
        /** @description A new API key. */
        NewApiKey: {
            /** @description Name */
            name: string;
            /**
             * @description Permission names; `family:*` and `*` expand to all that exist today.
             * @example [
             *       "agent-runs:*",
             *       "projects:get"
             *     ]
             */
            operations: string[];
            /** @description Binds the key to a Project. */
            projectId?: components["schemas"]["ProjectId"];
            /** @description Binds the key to an Environment; requires `projectId`. */
            environmentId?: components["schemas"]["EnvironmentId"];
            /** @description Binds the key to an Agent; requires `projectId`. */
            agentId?: components["schemas"]["AgentId"];
            /** @description At most 366 days ahead; default 90 days from now. */
            expiresAt?: components["schemas"]["Timestamp"];
        };
        /** @description The manifest to apply. */
        NewApply: {
            manifest: components["schemas"]["Manifest"];
            /**
             * @description The kind of the Environment.
             * @enum {string}
             */
            environment: "development" | "preview" | "production";
            /** @description Whether to remove Agents, Definitions, Connections and variables that the manifest does not name; only those that an Apply created and no other Environment uses. Not with `activate: false`. Default false. */
            prune?: boolean;
            /** @description Whether the Deployment serves once it is ready. Default true. */
            activate?: boolean;
            /** @description The plan that was reviewed; a different one is refused (409). */
            expectedPlanDigest?: string;
            /** @description Goes with the Release. */
            description?: string;
        };
        /**
         * @description An action on all runs that match.
         * @example {
         *       "action": "cancel",
         *       "filter": {
         *         "states": [
         *           "queued"
         *         ]
         *       },
         *       "max": 1000
         *     }
         */
        NewBulkAction: {
            /**
             * @description `cancel` requires an API key. `continue` requires `query`. `fork` starts a run with the input of each run, or with `query` instead.
             * @enum {string}
             */
            action: "cancel" | "continue" | "fork";
            filter: components["schemas"]["BulkActionFilter"];
            /** @description What the runs are continued with, or the forks begin with. */
            query?: string;
            /** @description The most runs to act on; of more that match, the oldest. Default 100,000. */
            max?: number;
            /** @description Counts what matches and does nothing. Default false. */
            dryRun?: boolean;
        };
        /** @description A state to resume from. */
        NewCheckpoint: {
            /** @enum {string} */
            kind: "step" | "suspended" | "final";
            runtimeCheckpoint: {
                /** @constant */
                version: 1;
                messages: {
                    [key: string]: unknown;
                }[];
                stepCount: number;
                pendingToolCalls: {
                    toolCallId: string;
                    toolName: string;
                    /** @description The arguments of the call. */
                    input: unknown;
                }[];
                /** @description The chain of attempts whose input the messages contain: that of the assignment. 0 with `callsFirst`, until the input is applied. */
                chain: number;
                /** @description The conversations of active delegates, by the id of the call that each answers. */
                delegates?: {
                    [key: string]: {
                        messages: {
                            [key: string]: unknown;
                        }[];
                        stepCount: number;
                        pendingToolCalls: {
                            toolCallId: string;
                            toolName: string;
                            /** @description The arguments of the call. */
                            input: unknown;
                        }[];
                    };
                };
            };
        };
        /** @description A new Configuration Revision. */
        NewConfigurationRevision: {
            /** @description The head that you have read: `configurationHead.revisionId` of the Environment. */
            expectedHeadRevisionId: components["schemas"]["ConfigurationRevisionId"];
            /** @description Description */
            description?: string;
        };
        /** @description A Connection with its first version. */
        NewConnection: {
            /** @description Unique in the Environment. */
            name: string;
            /**
             * @description The kind of service; immutable.
             * @enum {string}
             */
            kind: "http" | "database" | "object_storage" | "messaging" | "custom";
            /** @description The settings of the kind. Secrets belong in provider credentials. */
            settings: components["schemas"]["HttpSettings"] | components["schemas"]["DatabaseSettings"] | components["schemas"]["ObjectStorageSettings"] | components["schemas"]["MessagingSettings"] | components["schemas"]["CustomSettings"];
            /** @description A provider credential of the organization; null: none. */
            providerCredentialId?: components["schemas"]["ProviderCredentialId"] | null;
            /** @description A version of that credential; null: the current one when a Configuration Revision is created. */
            providerCredentialVersion?: number | null;
            /** @description An Agent of the Project, together with `bindingKey`. */
            agentId?: components["schemas"]["AgentId"] | null;
            /**
             * @description The key that the Agent uses for it.
             * @example shop
             */
            bindingKey?: string | null;
        };
        /** @description The identity of a new Definition. */
        NewDefinition: {
            /**
             * @description Unique in the Project.
             * @example orders
             */
            name: string;
            /**
             * @description The content of its source, which is immutable.
             * @enum {string}
             */
            kind: "operations" | "workflow" | "entity";
            /** @description Description */
            description?: string;
        };
        /** @description The new source of the Definition. */
        NewDefinitionRevision: {
            /** @description What the Definition says, as the Definition's kind asks for. */
            source: components["schemas"]["OperationsSource"] | components["schemas"]["WorkflowSource"] | components["schemas"]["EntitySource"];
        };
        /** @description A new Deployment. */
        NewDeployment: {
            /** @description A Release of the Project. */
            releaseId: components["schemas"]["ReleaseId"];
            /** @description A Configuration Revision of the Environment; default: the current configuration, for which a revision is created if the head is not current. */
            configurationRevisionId?: components["schemas"]["ConfigurationRevisionId"];
            /**
             * @description `pinned`: each credential in the version that the Configuration Revision holds. `current`: the current versions of the credentials of Connections and settings; for a roll-back with current secrets. Default `pinned`.
             * @enum {string}
             */
            credentials?: "pinned" | "current";
        };
        /** @description A program that asks for an API key. */
        NewDeviceAuthorization: {
            /** @description The name of the program and its machine, which becomes the name of the new key. */
            clientName: string;
        };
        /** @description A ticket to be issued. */
        NewEmbedTicket: {
            /** @description How long it is valid; an hour unless given. */
            lifetimeSeconds?: number;
        };
        /** @description The origin of the operations: exactly one of `openapi` and `mcp`. */
        NewImport: {
            /**
             * @description A document of OpenAPI 3.0 or 3.1, whose references lead within it.
             * @example {
             *       "openapi": "3.1.0",
             *       "paths": {}
             *     }
             */
            openapi?: {
                [key: string]: unknown;
            };
            /**
             * @description operationIds of the document; default: the first hundred that can be imported.
             * @example [
             *       "listPets"
             *     ]
             */
            operations?: string[];
            /** @description The Connection of an MCP server whose tools are imported, instead of a document. */
            mcp?: {
                environmentId: components["schemas"]["EnvironmentId"];
                connectionId: components["schemas"]["ConnectionId"];
                /**
                 * @description Names of tools; default: the first hundred that can be imported.
                 * @example [
                 *       "search"
                 *     ]
                 */
                tools?: string[];
            };
            /**
             * @description The bindingKey of the Connection that the operations will go through.
             * @example shop
             */
            connection: string;
        };
        /** @description The client that the organization has made at the provider. */
        NewIntegration: {
            /**
             * @description A preset of the catalogue.
             * @enum {string}
             */
            presetKey: "google-workspace";
            /**
             * @description The client id that the provider has given.
             * @example 1234567890-abc.apps.googleusercontent.com
             */
            clientId: string;
            /** @description The client secret that the provider has given. It is never shown again. */
            clientSecret: string;
        };
        /** @description A new invitation. */
        NewInvitation: {
            id: components["schemas"]["InvitationId"];
            /** @description The address in lower case; null for an account. */
            email: string | null;
            /**
             * @description The role that the user gets.
             * @enum {string}
             */
            role: "owner" | "admin" | "member";
            /** @description When the invitation expires. */
            expiresAt: components["schemas"]["Timestamp"];
            /** @description To pass on to the invited person; shown only once, and only if the server cannot send mail. */
            token?: string;
        };
        /** @description An address or an account to invite. */
        NewMember: {
            /**
             * @description An email address; case-insensitive.
             * @example ada@example.com
             */
            email?: string;
            /** @description An account (`usr_…`); either this or `email`. */
            userId?: components["schemas"]["UserId"];
            /**
             * @description owner: everything; admin: all but deletion and billing; member: what access grants give in Projects.
             * @enum {string}
             */
            role: "owner" | "admin" | "member";
        };
        /** @description A call of an operation. */
        NewOperationInvocation: {
            /** @description The input of the operation, by its `inputSchema`. */
            input: unknown;
            /** @description Printable ASCII. A repeated call with the same key finds the same invocation; another input is refused. */
            idempotencyKey?: string;
        };
        /** @description A new organization. */
        NewOrganization: {
            /** @description Name */
            name: string;
            /**
             * @description Slug: 1 to 63 lower-case letters, digits and inner hyphens.
             * @example support-desk
             */
            slug: string;
        };
        /** @description A variable with its first value. */
        NewOrganizationVariable: {
            /**
             * @description Capitals, digits and underscores, a capital first: 1 to 128 characters.
             * @example SHOP_TOKEN
             */
            name: string;
            /** @description The value: 0 to 65,536 characters. It is never shown again. */
            value: string;
            /** @description Description */
            description?: string;
        };
        /** @description A Project, from a template or empty. */
        NewProject: {
            /**
             * @description Unique in the organization: 1 to 63 lower-case letters, digits and inner hyphens.
             * @example support-desk
             */
            slug: string;
            /** @description Name */
            name: string;
            /** @description The template whose Agents and Definitions are copied: tpl_… */
            templateId?: string;
        };
        /** @description The active Release of one Environment, for another one. */
        NewPromotion: {
            projectId: components["schemas"]["ProjectId"];
            /** @description The Environment whose active Release is promoted. */
            fromEnvironmentId: components["schemas"]["EnvironmentId"];
            /** @description The target Environment, with its own configuration. */
            toEnvironmentId: components["schemas"]["EnvironmentId"];
            /** @description Whether the Deployment serves once it is ready. Default true. */
            activate?: boolean;
        };
        /** @description A credential with its first secret. */
        NewProviderCredential: {
            /** @description A label for people. */
            label: string;
            /**
             * @description The vendor that it is for; `custom` is for Connections.
             * @example openai
             * @enum {string}
             */
            provider: "anthropic" | "openai" | "google" | "mistral" | "xai" | "groq" | "deepseek" | "cohere" | "custom";
            /**
             * @description The kind of secret.
             * @enum {string}
             */
            credentialType: "api_key" | "oauth" | "service_account" | "connection_string";
            /** @description The secret: 1 to 65,536 characters. It is never shown again. */
            secret: string;
            /** @description In the future; null: it does not expire. */
            expiresAt?: components["schemas"]["Timestamp"] | null;
        };
        /** @description The next secret. */
        NewProviderCredentialVersion: {
            /** @description The secret: 1 to 65,536 characters. It is never shown again. */
            secret: string;
        };
        /** @description Omitted fields are null, omitted settings `{}`. */
        NewProviderSetting: {
            /**
             * @description The provider of the model; null: the platform default.
             * @enum {string|null}
             */
            provider?: "anthropic" | "openai" | "google" | "mistral" | "xai" | "groq" | "deepseek" | "cohere" | null;
            /**
             * @description A model of the provider; null: the provider's default.
             * @example gpt-5.5
             */
            model?: string | null;
            /**
             * @description The settings of the model.
             * @example {
             *       "temperature": 0.2,
             *       "maxOutputTokens": 4096
             *     }
             */
            settings?: {
                /** @description Sampling temperature. */
                temperature?: number;
                /** @description Nucleus sampling: the probability mass to sample from. */
                topP?: number;
                /** @description The number of most likely tokens to sample from. */
                topK?: number;
                /** @description The most output tokens of one step. */
                maxOutputTokens?: number;
                /** @description Sequences that end the output. */
                stopSequences?: string[];
                /** @description Seed for reproducible output, if the vendor supports it. */
                seed?: number;
                /** @description Penalty for tokens that have already occurred. */
                presencePenalty?: number;
                /** @description Penalty for tokens by how often they have occurred. */
                frequencyPenalty?: number;
                /** @description The limit of the model's reasoning: tokens, or a level. */
                reasoningBudget?: number | ("low" | "medium" | "high");
            };
            /** @description A credential of the organization for this provider. */
            providerCredentialId?: components["schemas"]["ProviderCredentialId"] | null;
            /** @description A version of that credential; null: the current one when a revision is created. */
            providerCredentialVersion?: number | null;
        };
        /** @description The revisions to release together. */
        NewRelease: {
            /** @description At least one; each Agent once. */
            agents: components["schemas"]["AgentPin"][];
            /** @description Each Definition once. */
            definitions?: components["schemas"]["DefinitionPin"][];
            /** @description Only to replace the Agent that the content names. */
            delegateAttachments?: components["schemas"]["DelegateAttachment"][];
            /** @description Description */
            description?: string;
        };
        /** @description The number of steps to go back. */
        NewRollback: {
            /** @description The number of Deployments to go back, in the order in which they served. Default: 1. */
            steps?: number;
            /**
             * @description `pinned`: each credential in the version that the Configuration Revision holds. `current`: the current versions of the credentials of Connections and settings; for a roll-back with current secrets. Default `pinned`.
             * @enum {string}
             */
            credentials?: "pinned" | "current";
        };
        /** @description A new pool, without tokens. */
        NewRunnerPool: {
            /** @description Name */
            name: string;
            /**
             * @description `organization` unless given; `deployment` requires an owner of the first organization.
             * @enum {string}
             */
            scope?: "organization" | "deployment";
            /** @description Whether the organization's runs execute only in its own pools, never on the server's runners. */
            exclusive?: boolean;
        };
        /** @description A new token. */
        NewRunnerToken: {
            /** @description When the token expires, at most 366 days ahead. Default: never. */
            expiresAt?: components["schemas"]["Timestamp"];
        };
        /** @description A call of a tool. */
        NewToolCall: {
            /** @description The input, by the `inputSchema` of the tool. */
            input: unknown;
        };
        /** @description The member to add. */
        NewUserGroupMember: {
            /** @description A member of the organization (`usr_…`). */
            userId: components["schemas"]["UserId"];
        };
        /** @description Either `value`, or `sourceVariableId` with `sourceVersion`. `agentId` and `bindingKey` must be given together; without them it is for all Agents. */
        NewVariable: {
            /**
             * @description Capitals, digits and underscores, a capital first: 1 to 128 characters.
             * @example SHOP_TOKEN
             */
            name: string;
            /** @description The value: 0 to 65,536 characters. It is never shown again. */
            value?: string;
            /** @description An organization variable to take the value from. */
            sourceVariableId?: components["schemas"]["VariableId"];
            /** @description The version of it. */
            sourceVersion?: number;
            /** @description Description */
            description?: string;
            /** @description An Agent of the Project that it is for. */
            agentId?: components["schemas"]["AgentId"];
            /**
             * @description The key that the Agent uses for it.
             * @example shop
             */
            bindingKey?: string;
        };
        /** @description A new webhook. */
        NewWebhook: {
            /**
             * @description The URL that events are posted to: https, without user name, password and fragment.
             * @example https://example.com/hooks/troupe
             */
            endpointUrl: string;
            /**
             * @description The kinds of events that it subscribes to.
             * @example [
             *       "run.completed",
             *       "run.failed"
             *     ]
             */
            eventTypes: components["schemas"]["EventKind"][];
            /** @description Whether the first KiB of each answer that refuses a delivery is kept with the attempt, visible to readers of deliveries. */
            captureResponses?: boolean;
        };
        /** @description A new recovery. */
        NewWebhookRecovery: {
            /** @description Only events from this time on. */
            since: components["schemas"]["Timestamp"];
            /** @description `dead-letter`: deliveries that were given up. `missed`: events from while the webhook was disabled. */
            states?: ("dead-letter" | "missed")[];
        };
        /** @description An event for steps of workflows that wait for it. */
        NewWorkflowEvent: {
            /**
             * @description The name of the event.
             * @example payment.received
             */
            event: string;
            /**
             * @description Which runs it is for: steps that wait for it name the same. No control characters.
             * @example A-17
             */
            correlation: string;
            /** @description The output of the steps that it ends, at most 65,536 characters as JSON; default: null. */
            data?: unknown;
        };
        /** @description A run of a workflow. */
        NewWorkflowRun: {
            /** @description The Agent whose grants, bindings and variables apply to the steps. */
            agentId: components["schemas"]["AgentId"];
            /**
             * @description A workflow of the active Deployment.
             * @example refund-order
             */
            definitionIdOrName: string;
            /** @description The params of the workflow; default `{}`. */
            params?: {
                [key: string]: unknown;
            };
            /** @description Identifies the request in the Environment permanently: a repeated request finds the same run. */
            requestKey?: string;
            /** @description The user that the run is for, a member of the organization; requires an API key. */
            actorUserId?: string;
        };
        /** @description Settings of kind `object_storage`. */
        ObjectStorageSettings: {
            /**
             * @description The address of the service; without a query.
             * @example https://s3.example.com
             */
            endpoint: string;
            /**
             * @description The bucket.
             * @example files
             */
            bucket: string;
            /** @description Its region. */
            region?: string;
        };
        /** @description Something that Agents and workflows can do. */
        Operation: {
            /**
             * @description Unique in the Definition; `<definition>.<operation>` names it elsewhere.
             * @example find
             */
            name: string;
            /** @description Its description for the model. */
            description: string;
            /** @description Its input: an object. JSON Schema, draft 2020-12 unless `$schema` says. */
            inputSchema: {
                [key: string]: unknown;
            };
            /** @description Its output. JSON Schema, draft 2020-12 unless `$schema` says. */
            outputSchema?: {
                [key: string]: unknown;
            };
            /**
             * @description Whether it changes anything.
             * @enum {string}
             */
            effect: "read" | "write";
            /** @description Whether repeating it has no further effect. */
            idempotent: boolean;
            /**
             * @description Whether a person must approve the call first.
             * @enum {string}
             */
            approval: "never" | "always";
            /** @description How long one call of an `http`, `mcp` or `worker` handler may take, including its wait for a worker; default: 30,000. At most 120,000, of a `worker` handler 86,400,000. An `agent` handler has the limits of a run, and what waits for an approval waits as long as that is open. */
            timeoutMs?: number;
            handler: components["schemas"]["OperationHandler"];
        };
        /** @description An approval that an invocation awaits. */
        OperationApproval: {
            id: components["schemas"]["OperationApprovalId"];
            /** @description The invocation that awaits it. */
            invocationId: components["schemas"]["OperationInvocationId"];
            /**
             * @description The operation: `<definition>.<operation>`.
             * @example tickets.escalate
             */
            operation: string;
            /** @description The Agent on whose behalf the operation is called. */
            agentId: string;
            /** @description The run that made the call. */
            agentRunId: components["schemas"]["AgentRunId"] | null;
            /** @description The workflow run that made the call. */
            workflowRunId: components["schemas"]["WorkflowRunId"] | null;
            /** @description The workflow's step. */
            stepId: string | null;
            /** @description The input of the operation. */
            input: unknown;
            /**
             * @description `expired`: not decided in time. `canceled`: the caller continued or was canceled.
             * @enum {string}
             */
            status: "pending" | "approved" | "rejected" | "expired" | "canceled";
            /** @description Who approved or rejected it. */
            decidedBy: {
                type: string;
                id: string;
            } | null;
            decidedAt: components["schemas"]["Timestamp"] | null;
            note: string | null;
            /** @description A pending approval expires at this time. */
            expiresAt: components["schemas"]["Timestamp"];
            createdAt: components["schemas"]["Timestamp"];
        };
        OperationApprovalAnswer: {
            data: components["schemas"]["OperationApproval"];
        };
        /**
         * @description The id of one `OperationApproval`: `apr_…`
         * @example apr_01h455vb4pex5vsknk084sn02q
         */
        OperationApprovalId: string;
        OperationApprovalPage: {
            data: {
                items: components["schemas"]["OperationApproval"][];
            };
            pagination: components["schemas"]["Pagination"];
        };
        /** @description An operation awaits approval, or its approval was decided. */
        OperationApprovalStatusChangedEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "operation.approval.status_changed";
            /** @description When the change was made. */
            timestamp: components["schemas"]["Timestamp"];
            /** @description 1, 2, 3 … for each Environment, without gaps. */
            sequence: number;
            organizationId: components["schemas"]["OrganizationId"];
            projectId: components["schemas"]["ProjectId"];
            environmentId: components["schemas"]["EnvironmentId"];
            /** @description The subject of the event. */
            subject: {
                /** @enum {string} */
                type: "agentRun" | "deployment" | "environment" | "operationInvocation" | "operationApproval" | "entity" | "systemAgent" | "workflowRun" | "agentJob" | "webhook" | "organization" | "alertRule";
                /** @description Its id. */
                id: string;
            };
            /** @description Who caused the event. */
            actor: {
                /** @enum {string} */
                type: "user" | "apiKey" | "system" | "runner" | "agentJob" | "workflow";
                /** @description Its id. */
                id: string;
            };
            data: {
                invocationId: components["schemas"]["OperationInvocationId"];
                /** @description null if it needs none. */
                approvalId: components["schemas"]["OperationApprovalId"] | null;
                /** @description `<definition>.<operation>`. */
                operation: string;
                agentId: components["schemas"]["AgentId"] | null;
                /** @description The run that made the tool call. */
                agentRunId: components["schemas"]["AgentRunId"] | null;
                /** @description The workflow run of the step. */
                workflowRunId: components["schemas"]["WorkflowRunId"] | null;
                /** @description The step of the workflow run. */
                stepId: string | null;
                deploymentId: components["schemas"]["DeploymentId"] | null;
                /** @enum {string|null} */
                from: "pending" | "approved" | "rejected" | "expired" | "canceled" | null;
                /** @enum {string} */
                to: "pending" | "approved" | "rejected" | "expired" | "canceled";
            };
        };
        /** @description How the operation is carried out: a call over a Connection, a tool of an MCP server behind one, a run of an Agent, a change of an entity, code in a process of yours, or its input as it is. `{{input.x}}` and `{{variables.NAME}}` stand for values in `path`, `query`, `headers` and `body`; in an Agent's query `{{input.x}}` does. */
        OperationHandler: {
            /** @constant */
            type: "http";
            /**
             * @description The bindingKey of a Connection.
             * @example shop
             */
            connection: string;
            /**
             * @description Method
             * @enum {string}
             */
            method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD";
            /**
             * @description Goes behind the base URL of the Connection; begins with `/`.
             * @example /orders/{{input.orderId}}
             */
            path: string;
            /** @description Parameters of the query. A list repeats its parameter. */
            query?: {
                [key: string]: string;
            };
            /**
             * @description By placeholder: how its list or object is written where it stands alone, in the path, a parameter of the query, a header, or a field of a form. Default: a list repeats its parameter in query and form, everything else is JSON.
             * @example {
             *       "input.ids": {
             *         "style": "form",
             *         "explode": false
             *       }
             *     }
             */
            styles?: {
                [key: string]: {
                    /**
                     * @description The style of lists and objects, in OpenAPI's terms.
                     * @enum {string}
                     */
                    style: "simple" | "label" | "matrix" | "form" | "spaceDelimited" | "pipeDelimited" | "deepObject" | "json";
                    /** @description Whether each item, or each field, is written apart. */
                    explode: boolean;
                    /** @description The name of the parameter, with `matrix`; omitted: that of the value. */
                    name?: string;
                };
            };
            /** @description Headers; never those that authenticate or frame the request. */
            headers?: {
                [key: string]: string;
            };
            /** @description Written as the header `Content-Type` says: JSON (also without the header), a form (`application/x-www-form-urlencoded`: an object, whose lists repeat their field), or else text. A text that is one placeholder alone takes its JSON value. */
            body?: unknown;
        } | {
            /** @constant */
            type: "mcp";
            /**
             * @description The bindingKey of a Connection.
             * @example shop
             */
            connection: string;
            /**
             * @description The MCP server's name for the tool.
             * @example search
             */
            tool: string;
            /** @description The digest of the tool's schemas at the server when it was imported: a call fails if they differ now. Omitted: they must equal the operation's. */
            digest?: string;
        } | {
            /** @constant */
            type: "agent";
            /**
             * @description The slug of an Agent of the Project.
             * @example support-desk
             */
            agent: string;
            /** @description What it is asked. */
            query: string;
        } | {
            /** @constant */
            type: "entity";
            /**
             * @description The name of an entity Definition.
             * @example order
             */
            entity: string;
            /**
             * @description The action on the entity.
             * @enum {string}
             */
            action: "create" | "update" | "transition" | "delete";
        } | {
            /** @constant */
            type: "worker";
            /**
             * @description Which workers make the call: processes of yours that serve this queue of the Environment.
             * @example billing
             */
            queue: string;
        } | {
            /** @constant */
            type: "echo";
        };
        /** @description One call of an operation. */
        OperationInvocation: {
            id: components["schemas"]["OperationInvocationId"];
            environmentId: components["schemas"]["EnvironmentId"];
            /** @description The Deployment that performs it. */
            deploymentId: components["schemas"]["DeploymentId"];
            /**
             * @description The operation: `<definition>.<operation>`.
             * @example tickets.escalate
             */
            operation: string;
            /** @description The Agent whose grants, bindings and variables apply. */
            agentId: string;
            /** @description The run that made the tool call. */
            agentRunId: components["schemas"]["AgentRunId"] | null;
            /** @description The workflow run of the step. */
            workflowRunId: components["schemas"]["WorkflowRunId"] | null;
            stepId: string | null;
            /**
             * @description The state of its statechart: `GET /api/v1/machines/operation-invocation`.
             * @enum {string}
             */
            state: "pending_approval" | "running" | "succeeded" | "failed" | "rejected" | "unknown";
            /** @description null if it needs none. */
            approvalId: components["schemas"]["OperationApprovalId"] | null;
            input: unknown;
            /** @description null unless it succeeded. */
            output: unknown;
            /** @description Why it did not succeed. */
            error: {
                /** @example tool_error */
                code: string;
                message: string;
            } | null;
            createdBy: {
                type: string;
                id: string;
            };
            createdAt: components["schemas"]["Timestamp"];
            updatedAt: components["schemas"]["Timestamp"];
        };
        OperationInvocationAnswer: {
            data: components["schemas"]["OperationInvocation"];
        };
        /**
         * @description The id of one `OperationInvocation`: `opi_…`
         * @example opi_01h455vb4pex5vsknk084sn02q
         */
        OperationInvocationId: string;
        OperationInvocationPage: {
            data: {
                items: components["schemas"]["OperationInvocation"][];
            };
            pagination: components["schemas"]["Pagination"];
        };
        /** @description An invocation was created or changed its state. */
        OperationInvocationStatusChangedEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "operation.invocation.status_changed";
            /** @description When the change was made. */
            timestamp: components["schemas"]["Timestamp"];
            /** @description 1, 2, 3 … for each Environment, without gaps. */
            sequence: number;
            organizationId: components["schemas"]["OrganizationId"];
            projectId: components["schemas"]["ProjectId"];
            environmentId: components["schemas"]["EnvironmentId"];
            /** @description The subject of the event. */
            subject: {
                /** @enum {string} */
                type: "agentRun" | "deployment" | "environment" | "operationInvocation" | "operationApproval" | "entity" | "systemAgent" | "workflowRun" | "agentJob" | "webhook" | "organization" | "alertRule";
                /** @description Its id. */
                id: string;
            };
            /** @description Who caused the event. */
            actor: {
                /** @enum {string} */
                type: "user" | "apiKey" | "system" | "runner" | "agentJob" | "workflow";
                /** @description Its id. */
                id: string;
            };
            data: {
                invocationId: components["schemas"]["OperationInvocationId"];
                /** @description null if it needs none. */
                approvalId: components["schemas"]["OperationApprovalId"] | null;
                /** @description `<definition>.<operation>`. */
                operation: string;
                agentId: components["schemas"]["AgentId"] | null;
                /** @description The run that made the tool call. */
                agentRunId: components["schemas"]["AgentRunId"] | null;
                /** @description The workflow run of the step. */
                workflowRunId: components["schemas"]["WorkflowRunId"] | null;
                /** @description The step of the workflow run. */
                stepId: string | null;
                deploymentId: components["schemas"]["DeploymentId"] | null;
                /** @enum {string|null} */
                from: "pending_approval" | "running" | "succeeded" | "failed" | "rejected" | "unknown" | null;
                /** @enum {string} */
                to: "pending_approval" | "running" | "succeeded" | "failed" | "rejected" | "unknown";
            };
        };
        /** @description The source of a Definition of kind `operations`. */
        OperationsSource: {
            /** @description At least one. */
            operations: components["schemas"]["Operation"][];
        };
        /** @description The tenant that owns Projects, members and keys; isolated from all others. */
        Organization: {
            id: components["schemas"]["OrganizationId"];
            /**
             * @description Unique in the deployment: 1 to 63 lower-case letters, digits and inner hyphens.
             * @example support-desk
             */
            slug: string;
            name: string;
            /**
             * @description Only a team can be deleted.
             * @enum {string}
             */
            kind: "team" | "personal";
            /** @enum {string} */
            status: "active" | "deleting";
            /** @description The limits of each run of the organization; omitted without limits. */
            runLimits?: components["schemas"]["RunLimits"];
            deletion?: components["schemas"]["DeletionProgress"];
            createdAt: components["schemas"]["Timestamp"];
            updatedAt: components["schemas"]["Timestamp"];
        };
        OrganizationAnswer: {
            data: components["schemas"]["Organization"];
        };
        /** @description The fields to change. */
        OrganizationChanges: {
            /** @description Name */
            name?: string;
            /**
             * @description Slug: 1 to 63 lower-case letters, digits and inner hyphens.
             * @example support-desk
             */
            slug?: string;
            /** @description The limits of each run that starts from now on; null removes them. */
            runLimits?: components["schemas"]["RunLimits"] | null;
        };
        /**
         * @description The id of one `Organization`: `org_…`
         * @example org_01h455vb4pex5vsknk084sn02q
         */
        OrganizationId: string;
        OrganizationPage: {
            data: {
                items: components["schemas"]["Organization"][];
            };
            pagination: components["schemas"]["Pagination"];
        };
        /** @description A value that variables of Environments can take. It is never shown. */
        OrganizationVariable: {
            id: components["schemas"]["VariableId"];
            /**
             * @description Capitals, digits and underscores, a capital first: 1 to 128 characters.
             * @example SHOP_TOKEN
             */
            name: string;
            /** @description The newest version; each new value creates one. */
            version: number;
            description: string | null;
            /**
             * @description Only an active one is used.
             * @enum {string}
             */
            status: "active" | "disabled";
            /**
             * @description Equal for equal values of the organization: an HMAC under a separate key, which reveals nothing else.
             * @example hmac-sha256:0000000000000000000000000000000000000000000000000000000000000000
             */
            valueDigest: string;
            /** @description In characters. */
            valueLength: number;
            createdAt: components["schemas"]["Timestamp"];
            updatedAt: components["schemas"]["Timestamp"];
        };
        OrganizationVariableAnswer: {
            data: components["schemas"]["OrganizationVariable"];
        };
        /** @description The fields to change; a value becomes the next version. */
        OrganizationVariableChanges: {
            /** @description The value: 0 to 65,536 characters. It is never shown again. */
            value?: string;
            /** @description Null removes it. */
            description?: string | null;
            /**
             * @description Only an active one is used.
             * @enum {string}
             */
            status?: "active" | "disabled";
        };
        OrganizationVariablePage: {
            data: {
                items: components["schemas"]["OrganizationVariable"][];
            };
            pagination: components["schemas"]["Pagination"];
        };
        /** @description What the caller may do, in the whole organization or in a Project. */
        OwnPermissions: {
            /**
             * @description The user's role in the organization.
             * @enum {string}
             */
            role: "owner" | "admin" | "member";
            /**
             * @description Expanded, without wildcards.
             * @example [
             *       "agents:get",
             *       "agent-runs:create"
             *     ]
             */
            permissions: string[];
        };
        OwnPermissionsAnswer: {
            data: components["schemas"]["OwnPermissions"];
        };
        /** @description A session of yours, without its secret. */
        OwnSession: {
            /** @description Identifies the session; not a credential. */
            id: components["schemas"]["SessionId"];
            /** @description When you signed in. */
            createdAt: components["schemas"]["Timestamp"];
            /** @description The last use, to the minute. */
            lastUsedAt: components["schemas"]["Timestamp"];
            /** @description When it ends if it is not used before. */
            expiresAt: components["schemas"]["Timestamp"];
            /** @description The client address of the last use, to the minute. */
            address: string | null;
            /** @description The browser's `User-Agent` at the sign-in; not verified. */
            userAgent: string | null;
            /** @description Whether it is the session of this request. */
            current: boolean;
        };
        OwnSessionPage: {
            data: {
                items: components["schemas"]["OwnSession"][];
            };
            pagination: components["schemas"]["Pagination"];
        };
        /** @description The cursor of the next page. */
        Pagination: {
            /** @description The requested page size. */
            limit: number;
            /** @description Whether there is another page. */
            hasMore: boolean;
            /** @description Pass it as `cursor` to get the next page; present if `hasMore`. */
            nextCursor?: string;
        };
        /** @description A new password for the user of the session. */
        PasswordChange: {
            /** @description The current password. */
            current: string;
            /** @description A password of 8 to 128 characters, not one of the most common ones, and not the email address. */
            new: string;
        };
        /** @description The new password. */
        PasswordReset: {
            /** @description A password of 8 to 128 characters, not one of the most common ones, and not the email address. */
            password: string;
        };
        /** @description The account whose password is reset. */
        PasswordResetOrder: {
            /** @description The e-mail address; case-insensitive. */
            email: string;
        };
        /** @description The answer to the request, the same for every address. */
        PasswordResetOrdered: {
            /** @description Whether the server sends mail. Reveals nothing about the address. */
            mail: boolean;
        };
        PasswordResetOrderedAnswer: {
            data: components["schemas"]["PasswordResetOrdered"];
        };
        /** @description A program that waits for a person. */
        PendingDeviceAuthorization: {
            /** @example BCDF-GHJK */
            userCode: string;
            /** @description The name that the program gives itself, which is not verified. */
            clientName: string;
            /** @description The address from which the program sent the request. */
            address: string | null;
            /** @description The time of the program's request. */
            createdAt: components["schemas"]["Timestamp"];
            /** @description Until when it can be approved. */
            expiresAt: components["schemas"]["Timestamp"];
        };
        PendingDeviceAuthorizationAnswer: {
            data: components["schemas"]["PendingDeviceAuthorization"];
        };
        /**
         * @description A permission; each operation names the one that it requires.
         * @enum {string}
         */
        Permission: "agents:invoke-operation" | "agents:manage-workflows" | "agents:render-presentation" | "agents:get" | "agents:list" | "agents:delete" | "agents:push" | "agents:revisions:create" | "agents:revisions:get" | "agents:revisions:list" | "projects:list" | "projects:get" | "projects:create" | "projects:update" | "projects:delete" | "projects:read-runtime-data" | "projects:manage-access-grants" | "analytics:read" | "deployments:create" | "activations:create" | "env:variables:list" | "env:variables:get" | "env:variables:create" | "env:variables:update" | "env:variables:delete" | "provider-credentials:list" | "provider-credentials:get" | "provider-credentials:create" | "provider-credentials:update" | "provider-credentials:delete" | "provider-credentials:versions:create" | "organizations:get" | "organizations:delete" | "organizations:update" | "organizations:manage-user-groups" | "organizations:manage-members" | "organization-integrations:list" | "organization-integrations:get" | "organization-integrations:create" | "organization-integrations:update" | "organization-integrations:delete" | "organization-integrations:verify" | "organization-integrations:presets:list" | "organization-variables:list" | "organization-variables:manage" | "connections:list" | "connections:get" | "connections:create" | "connections:update" | "connections:delete" | "connections:start-oauth" | "connections:presets:list" | "api-keys:list" | "api-keys:get" | "api-keys:create" | "api-keys:update" | "api-keys:revoke" | "definitions:list" | "definitions:get" | "definitions:create" | "definitions:update" | "definitions:delete" | "operation-invocations:list" | "operation-approvals:list" | "operation-approvals:approve" | "operation-approvals:reject" | "workers:serve" | "agent-runs:cancel" | "agent-runs:continue" | "agent-runs:create" | "agent-runs:personalize" | "agent-runs:get" | "agent-runs:list" | "agent-runs:stream" | "agent-runs:update" | "agent-runs:steps:create" | "agent-runs:steps:get" | "agent-runs:steps:list" | "agent-runs:steps:checkpoints:create" | "agent-runs:steps:checkpoints:get" | "agent-runs:checkpoints:list" | "agent-runs:attempts:complete" | "agent-runs:attempts:heartbeat" | "agent-jobs:list" | "agent-jobs:get" | "agent-jobs:create" | "agent-jobs:update" | "agent-jobs:delete" | "agent-jobs:run-now" | "webhooks:list" | "webhooks:create" | "webhooks:delete" | "webhooks:rotate-secret" | "webhooks:replay" | "webhooks:retry-dead" | "webhooks:rebaseline" | "webhooks:events:read" | "templates:search" | "templates:read" | "billing:read" | "billing:manage" | "alerts:list" | "alerts:manage";
        /** @description A plan; the plan of price zero requires no contract. */
        Plan: {
            /**
             * @description The plan; with Stripe also the lookup key of its price.
             * @example pro
             */
            planKey: string;
            /** @description The name of the plan. */
            name: string;
            price: {
                /** @description In minor units: cents. */
                amount: number;
                /**
                 * @description ISO 4217.
                 * @example usd
                 */
                currency: string;
                /** @enum {string} */
                interval: "month" | "year";
            };
            /** @description Minutes in each period; null: unlimited. */
            minuteBudget: number | null;
            features: string[];
            limits: components["schemas"]["PlanLimits"];
        };
        /** @description One resource and its change. */
        PlanChange: {
            /**
             * @description `revise` publishes a new revision; `update` changes an existing resource, or activates an existing revision.
             * @enum {string}
             */
            action: "create" | "revise" | "update" | "unchanged" | "remove";
            /**
             * @description What it is.
             * @enum {string}
             */
            kind: "project" | "environment" | "definition" | "agent" | "variable" | "connection" | "model" | "job" | "webhook";
            /**
             * @description Its name, as in the manifest.
             * @example clerk
             */
            name: string;
            /**
             * @description The kind of the Environment; null for a resource of the whole Project. `remove` of an Agent or a Definition from an Environment leaves it in the Project, where another Environment uses it.
             * @enum {string|null}
             */
            environment: "development" | "preview" | "production" | null;
            /** @description The differences, without secrets; without values of what the credential may not read. */
            differences: components["schemas"]["Difference"][];
        };
        /** @description The limits of an organization; above them the answer is 422 `limit_exceeded`. */
        PlanLimits: {
            /** @description Projects. null: unlimited. */
            projects: number | null;
            /** @description Agents in the organization's Projects. null: unlimited. */
            agents: number | null;
            /** @description Unfinished runs, including waiting ones. null: unlimited. */
            liveRuns: number | null;
            /** @description Open event streams per server process. null: unlimited. */
            openStreams: number | null;
            /** @description Stored run content in bytes. null: unlimited. */
            storedBytes: number | null;
        };
        PlanList: {
            data: {
                items: components["schemas"]["Plan"][];
            };
        };
        /** @description The manifest to plan. */
        PlanRequest: {
            manifest: components["schemas"]["Manifest"];
            /**
             * @description The kind of the Environment.
             * @enum {string}
             */
            environment: "development" | "preview" | "production";
            /** @description Whether to remove Agents, Definitions, Connections and variables that the manifest does not name; only those that an Apply created and no other Environment uses. Not with `activate: false`. Default false. */
            prune?: boolean;
        };
        /** @description A visit to the billing portal. */
        PortalVisit: {
            /**
             * @description The page to return to. One of the console's own: `/billing`, `/billing/success`, `/billing/canceled`, `/pricing`, byte for byte.
             * @example http://localhost:3000/billing
             */
            returnUrl: string;
            /** @description A session's token; required with a session, ignored with an API key. */
            csrfToken?: string;
        };
        /** @description A server of the installation. */
        Process: {
            /** @description The id of the process, new at each start. */
            id: string;
            /**
             * @description The version of its program.
             * @example 0.1.0
             */
            version: string;
            /** @description When it joined the others. */
            startedAt: components["schemas"]["Timestamp"];
            /** @description The time of its last heartbeat. A server without one for 15 seconds, or for 6 if its connections are lost, is considered dead. */
            seenAt: components["schemas"]["Timestamp"];
            /** @description The offset of its clock from the store's, in milliseconds; below 0: behind. More than 1,000 is too much. */
            clockSkewMs: number;
            /** @description The slots whose work it does: of 64 over all processes. */
            slots: number[];
            /** @description Whether it is the server that answers this request. */
            answering: boolean;
        };
        ProcessPage: {
            data: {
                items: components["schemas"]["Process"][];
            };
            pagination: components["schemas"]["Pagination"];
        };
        /** @description A set of Agents with three Environments. */
        Project: {
            id: components["schemas"]["ProjectId"];
            organizationId: components["schemas"]["OrganizationId"];
            /**
             * @description Unique in the organization.
             * @example support-desk
             */
            slug: string;
            /** @example Support desk */
            name: string;
            /** @description The template that it was created from: tpl_… */
            templateId: string | null;
            /**
             * @description A paused Project admits no new work; a `deleting` one cannot be changed.
             * @enum {string}
             */
            status: "active" | "paused" | "deleting";
            deletion?: components["schemas"]["DeletionProgress"];
            createdAt: components["schemas"]["Timestamp"];
            updatedAt: components["schemas"]["Timestamp"];
        };
        ProjectAnswer: {
            data: components["schemas"]["Project"];
        };
        /** @description The fields to change. */
        ProjectChanges: {
            /** @description Name */
            name?: string;
            /**
             * @description Unique in the organization: 1 to 63 lower-case letters, digits and inner hyphens.
             * @example support-desk
             */
            slug?: string;
            /** @enum {string} */
            status?: "active" | "paused";
        };
        /**
         * @description The id of one `Project`: `prj_…`
         * @example prj_01h455vb4pex5vsknk084sn02q
         */
        ProjectId: string;
        ProjectPage: {
            data: {
                items: components["schemas"]["Project"][];
            };
            pagination: components["schemas"]["Pagination"];
        };
        /** @description The renewed lease. */
        ProlongedLease: {
            /** @description When the renewed lease expires. */
            expiresAt: components["schemas"]["Timestamp"];
            /**
             * @description The signal for the runner.
             * @enum {string}
             */
            signal: "continue" | "cancel" | "drain";
        };
        ProlongedLeaseAnswer: {
            data: components["schemas"]["ProlongedLease"];
        };
        /** @description A versioned secret of the organization; its value is never shown. */
        ProviderCredential: {
            id: components["schemas"]["ProviderCredentialId"];
            /** @example Production key */
            label: string;
            /**
             * @description The vendor that it is for; `custom` is for Connections.
             * @example openai
             * @enum {string}
             */
            provider: "anthropic" | "openai" | "google" | "mistral" | "xai" | "groq" | "deepseek" | "cohere" | "custom";
            /**
             * @description The kind of secret.
             * @enum {string}
             */
            credentialType: "api_key" | "oauth" | "service_account" | "connection_string";
            /**
             * @description Only an active one is used.
             * @enum {string}
             */
            status: "active" | "disabled" | "deleting";
            /** @description From this time it cannot be used; null if it does not expire. */
            expiresAt: components["schemas"]["Timestamp"] | null;
            /** @description The newest version. */
            currentVersion: number;
            /** @description All versions, oldest first; pins refer to one of them. */
            versions: {
                version: number;
                /** @description When the version was created. */
                createdAt: components["schemas"]["Timestamp"];
                /** @description When the version was revoked; from then on nothing can use it. */
                revokedAt?: components["schemas"]["Timestamp"];
            }[];
            createdAt: components["schemas"]["Timestamp"];
            /** @description When it was last changed or rotated. */
            updatedAt: components["schemas"]["Timestamp"];
        };
        ProviderCredentialAnswer: {
            data: components["schemas"]["ProviderCredential"];
        };
        /** @description The fields to change; a new secret is a new version. */
        ProviderCredentialChanges: {
            /** @description A label for people. */
            label?: string;
            /** @enum {string} */
            status?: "active" | "disabled";
            /** @description In the future; null: it does not expire. */
            expiresAt?: components["schemas"]["Timestamp"] | null;
        };
        /**
         * @description The id of one `ProviderCredential`: `crd_…`
         * @example crd_01h455vb4pex5vsknk084sn02q
         */
        ProviderCredentialId: string;
        ProviderCredentialList: {
            data: {
                items: components["schemas"]["ProviderCredential"][];
            };
        };
        /** @description A use of a version of a credential. */
        ProviderCredentialUse: {
            /** @enum {string} */
            kind: "connection" | "providerSetting";
            /** @description The id of the Connection or the setting; for a Deployment, of the Agent. */
            id: string;
            /**
             * @description The name of the Connection, or the slug of the Agent.
             * @example Shop
             */
            name: string;
            /** @description null: the current one when a revision is created. */
            version: number | null;
            /** @description The active Deployment that pins it; null for the current configuration. */
            deploymentId: string | null;
            project: {
                id: components["schemas"]["ProjectId"];
                slug: string;
            };
            environment: {
                id: components["schemas"]["EnvironmentId"];
                /** @enum {string} */
                kind: "development" | "preview" | "production";
            };
        };
        ProviderCredentialUseList: {
            data: {
                items: components["schemas"]["ProviderCredentialUse"][];
            };
        };
        /** @description The model of an Agent in an Environment. */
        ProviderSetting: {
            /** @description Unique in the deployment. */
            settingId: number;
            /** @description The Agent of the setting. */
            agentId: components["schemas"]["AgentId"];
            /**
             * @description The provider of the model; null: the platform default.
             * @enum {string|null}
             */
            provider: "anthropic" | "openai" | "google" | "mistral" | "xai" | "groq" | "deepseek" | "cohere" | null;
            /**
             * @description A model of the provider; null: the provider's default.
             * @example gpt-5.5
             */
            model: string | null;
            /**
             * @description The settings of the model.
             * @example {
             *       "temperature": 0.2,
             *       "maxOutputTokens": 4096
             *     }
             */
            settings: {
                [key: string]: unknown;
            };
            /** @description The credential for the provider. */
            providerCredentialId: components["schemas"]["ProviderCredentialId"] | null;
            /** @description A version of it; null: the current one when a Configuration Revision is created. */
            providerCredentialVersion: number | null;
            createdAt: components["schemas"]["Timestamp"];
            updatedAt: components["schemas"]["Timestamp"];
        };
        ProviderSettingAnswer: {
            data: components["schemas"]["ProviderSetting"];
        };
        /** @description A provider setting that has changed. */
        ProviderSettingChange: {
            /**
             * @description The Agent whose model it is.
             * @example clerk
             */
            agent: string;
            /**
             * @description What has become of it.
             * @enum {string}
             */
            change: "added" | "removed" | "changed";
            before: {
                settingId: number;
                provider: string | null;
                model: string | null;
                /** @description As pinned by the Configuration Revision. A Deployment with `credentials: "current"` uses the current one at the time of its preparation. */
                credential: {
                    providerCredentialId: components["schemas"]["ProviderCredentialId"];
                    /** @description Its label; null if it was deleted. */
                    label: string | null;
                    providerCredentialVersion: number | null;
                } | null;
            } | null;
            after: {
                settingId: number;
                provider: string | null;
                model: string | null;
                /** @description As pinned by the Configuration Revision. A Deployment with `credentials: "current"` uses the current one at the time of its preparation. */
                credential: {
                    providerCredentialId: components["schemas"]["ProviderCredentialId"];
                    /** @description Its label; null if it was deleted. */
                    label: string | null;
                    providerCredentialVersion: number | null;
                } | null;
            } | null;
            /** @description Of a changed one; at most 100. Differences in order alone are not listed. */
            differences: components["schemas"]["Difference"][];
        };
        /** @description The fields to change; null removes a value. A new credential without a version is used at its current one. */
        ProviderSettingChanges: {
            /**
             * @description The provider of the model; null: the platform default.
             * @enum {string|null}
             */
            provider?: "anthropic" | "openai" | "google" | "mistral" | "xai" | "groq" | "deepseek" | "cohere" | null;
            /**
             * @description A model of the provider; null: the provider's default.
             * @example gpt-5.5
             */
            model?: string | null;
            /**
             * @description The settings of the model.
             * @example {
             *       "temperature": 0.2,
             *       "maxOutputTokens": 4096
             *     }
             */
            settings?: {
                /** @description Sampling temperature. */
                temperature?: number;
                /** @description Nucleus sampling: the probability mass to sample from. */
                topP?: number;
                /** @description The number of most likely tokens to sample from. */
                topK?: number;
                /** @description The most output tokens of one step. */
                maxOutputTokens?: number;
                /** @description Sequences that end the output. */
                stopSequences?: string[];
                /** @description Seed for reproducible output, if the vendor supports it. */
                seed?: number;
                /** @description Penalty for tokens that have already occurred. */
                presencePenalty?: number;
                /** @description Penalty for tokens by how often they have occurred. */
                frequencyPenalty?: number;
                /** @description The limit of the model's reasoning: tokens, or a level. */
                reasoningBudget?: number | ("low" | "medium" | "high");
            };
            /** @description A credential of the organization for this provider. */
            providerCredentialId?: components["schemas"]["ProviderCredentialId"] | null;
            /** @description A version of that credential; null: the current one when a revision is created. */
            providerCredentialVersion?: number | null;
        };
        ProviderSettingPage: {
            data: {
                items: components["schemas"]["ProviderSetting"][];
            };
            pagination: components["schemas"]["Pagination"];
        };
        /** @description Whether each dependency of the server is available. */
        Readiness: {
            /** @enum {string} */
            status: "ready" | "not_ready" | "shutting_down";
            /** @description The state of each part, by name. */
            checks: {
                [key: string]: "ok" | "failing";
            };
            /** @description Further information for operators, which does not affect readiness. */
            process?: {
                /** @description The id of the process, new at each start. */
                id: string;
                /** @description The offset of its clock from the store's, in milliseconds. */
                clockSkewMs: number;
                /**
                 * @description `skewed`: more than a second from the store. Use NTP.
                 * @enum {string}
                 */
                clock: "ok" | "skewed";
                /** @description The age of its longest overdue work. */
                lagMs: number | null;
                /** @description The slots whose background work it does; a server alone has all 64. */
                slots: number[];
            };
        };
        /** @description A baseline, and a cursor for the events after it. */
        Rebaseline: {
            /** @description Identifies this baseline. */
            checkpointId: number;
            /** @description Increases if events were lost other than by expiry, such as by restoring a backup: earlier cursors become invalid. */
            checkpointGeneration: number;
            baseline: components["schemas"]["Baseline"];
            /** @description The cursor for the next read at any later time. Store it after every answer. */
            resumeCursor: string;
        };
        /**
         * @description The kind of event.
         * @enum {string}
         */
        RecordedEventKind: "operation.approval.status_changed" | "operation.invocation.status_changed" | "deployment.queued" | "deployment.validating" | "deployment.provisioning" | "deployment.materializing" | "deployment.ready" | "deployment.failed" | "deployment.canceled" | "activation.changed" | "run.created" | "run.started" | "run.completed" | "run.failed" | "run.canceled" | "run.expired" | "system_agent.published" | "system_agent.policy_changed" | "domain.entity.created" | "domain.entity.updated" | "domain.entity.transitioned" | "domain.entity.deleted" | "run.waiting" | "workflow.completed" | "workflow.failed" | "workflow.unknown" | "job.failed" | "job.missed" | "webhook.disabled" | "budget.warning" | "budget.exhausted" | "alert.firing" | "alert.resolved" | "webhook.test";
        /** @description A graph of exact revisions that fit together. It never changes. */
        Release: {
            id: components["schemas"]["ReleaseId"];
            projectId: components["schemas"]["ProjectId"];
            /** @description 1, 2, 3 … for each Project. */
            number: number;
            /** @description The pinned revisions of Agents. */
            agents: components["schemas"]["AgentPin"][];
            /** @description The pinned revisions of Definitions. */
            definitions: components["schemas"]["DefinitionPin"][];
            /** @description All of them: those of the contents, and in their place those that were given. */
            delegateAttachments: components["schemas"]["DelegateAttachment"][];
            description: string | null;
            /**
             * @description SHA-256 of the RFC 8785 form of `{agents, definitions, delegateAttachments}`.
             * @example sha256:0000000000000000000000000000000000000000000000000000000000000000
             */
            digest: string;
            createdBy: {
                /** @enum {string} */
                type: "user" | "apiKey";
                /** @description The id of that principal. */
                id: string;
            };
            createdAt: components["schemas"]["Timestamp"];
        };
        ReleaseAnswer: {
            data: components["schemas"]["Release"];
        };
        /** @description The differences of a Release from the one it is compared with. */
        ReleaseDiff: {
            before: {
                releaseId: components["schemas"]["ReleaseId"];
                number: number;
            };
            after: {
                releaseId: components["schemas"]["ReleaseId"];
                number: number;
            };
            /** @description The differing ones, by name. */
            agents: components["schemas"]["AgentChange"][];
            /** @description The differing ones, by name. */
            definitions: components["schemas"]["DefinitionChange"][];
            /** @description Whether there are more differences. */
            truncated: boolean;
        };
        ReleaseDiffAnswer: {
            data: components["schemas"]["ReleaseDiff"];
        };
        /**
         * @description The id of one `Release`: `rel_…`
         * @example rel_01h455vb4pex5vsknk084sn02q
         */
        ReleaseId: string;
        ReleasePage: {
            data: {
                items: components["schemas"]["Release"][];
            };
            pagination: components["schemas"]["Pagination"];
        };
        ResourceFound: {
            /** @description As requested. */
            id: string;
            /**
             * @description What it is.
             * @enum {string}
             */
            kind: "Project" | "Environment" | "Agent" | "AgentRevision" | "Definition" | "DefinitionRevision" | "Release" | "ConfigurationRevision" | "Deployment" | "Activation" | "Apply" | "Variable" | "Connection" | "ConnectionVersion" | "OAuthGrant" | "ProviderCredential" | "Integration" | "Event" | "AlertRule" | "AlertIncident" | "Webhook" | "WebhookRecovery" | "WebhookDelivery" | "AgentRun" | "WorkflowRun" | "OperationInvocation" | "OperationApproval" | "AgentJob" | "Entity" | "ApiKey" | "UserGroup" | "AccessGrant";
            /** @description Null for what is of the organization as a whole. */
            projectId: components["schemas"]["ProjectId"] | null;
            /** @description Null for what is in no Environment. */
            environmentId: components["schemas"]["EnvironmentId"] | null;
            /** @description What its operations are below in the path: the id of the Agent or the Definition of a revision, of the Deployment of an Activation, of the Connection of its version or its consent, of the Webhook of a delivery or a recovery, of the invocation of an approval, of the rule of an incident; the type of an Entity. */
            parent: string | null;
        };
        ResourceFoundAnswer: {
            data: components["schemas"]["ResourceFound"];
        };
        /** @description A new key with its secret, and the key that it replaces. */
        RotatedApiKey: {
            id: components["schemas"]["ApiKeyId"];
            /** @description Name */
            name: string;
            /**
             * @description The first characters of the secret, to tell keys apart.
             * @example trp_7hQ2
             */
            prefix: string;
            /** @description The permissions of the key, as far as its creator has them at that time. */
            operations: components["schemas"]["Permission"][];
            /** @description The Project that the key is bound to. */
            projectId: components["schemas"]["ProjectId"] | null;
            /** @description The Environment of the Project that the key is bound to. */
            environmentId: components["schemas"]["EnvironmentId"] | null;
            /** @description The Agent of the Project that the key is bound to. */
            agentId: components["schemas"]["AgentId"] | null;
            /** @description The user whose permissions the key has, within its operations. */
            createdBy: components["schemas"]["UserId"];
            /** @description The key is refused from this time. */
            expiresAt: components["schemas"]["Timestamp"];
            /** @description The last use, to the minute. */
            lastUsedAt: components["schemas"]["Timestamp"] | null;
            /**
             * @description Expiry does not change the status; see `expiresAt`.
             * @enum {string}
             */
            status: "active" | "revoked";
            /** @description Creation */
            createdAt: components["schemas"]["Timestamp"];
            /** @description Sent as `Authorization: Bearer …`. Shown only once. */
            secret: string;
            /** @description Warnings about this key; absent if there are none. */
            warnings?: components["schemas"]["ApiKeyWarning"][];
            previous: components["schemas"]["ApiKey"];
        };
        RotatedApiKeyAnswer: {
            data: components["schemas"]["RotatedApiKey"];
        };
        /** @description A run was canceled. */
        RunCanceledEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "run.canceled";
            /** @description When the change was made. */
            timestamp: components["schemas"]["Timestamp"];
            /** @description 1, 2, 3 … for each Environment, without gaps. */
            sequence: number;
            organizationId: components["schemas"]["OrganizationId"];
            projectId: components["schemas"]["ProjectId"];
            environmentId: components["schemas"]["EnvironmentId"];
            /** @description The subject of the event. */
            subject: {
                /** @enum {string} */
                type: "agentRun" | "deployment" | "environment" | "operationInvocation" | "operationApproval" | "entity" | "systemAgent" | "workflowRun" | "agentJob" | "webhook" | "organization" | "alertRule";
                /** @description Its id. */
                id: string;
            };
            /** @description Who caused the event. */
            actor: {
                /** @enum {string} */
                type: "user" | "apiKey" | "system" | "runner" | "agentJob" | "workflow";
                /** @description Its id. */
                id: string;
            };
            data: {
                agentRunId: components["schemas"]["AgentRunId"];
                agentId: components["schemas"]["AgentId"];
                agentRevisionId: components["schemas"]["AgentRevisionId"];
                deploymentId: components["schemas"]["DeploymentId"] | null;
                /** @enum {string|null} */
                from: "queued" | "acquiring" | "starting" | "running" | "awaitingToolResult" | "awaitingDelegateResult" | "canceling" | "completed" | "failed" | "canceled" | "expired" | null;
                /** @constant */
                to: "canceled";
            };
        };
        /** @description A run has completed. */
        RunCompletedEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "run.completed";
            /** @description When the change was made. */
            timestamp: components["schemas"]["Timestamp"];
            /** @description 1, 2, 3 … for each Environment, without gaps. */
            sequence: number;
            organizationId: components["schemas"]["OrganizationId"];
            projectId: components["schemas"]["ProjectId"];
            environmentId: components["schemas"]["EnvironmentId"];
            /** @description The subject of the event. */
            subject: {
                /** @enum {string} */
                type: "agentRun" | "deployment" | "environment" | "operationInvocation" | "operationApproval" | "entity" | "systemAgent" | "workflowRun" | "agentJob" | "webhook" | "organization" | "alertRule";
                /** @description Its id. */
                id: string;
            };
            /** @description Who caused the event. */
            actor: {
                /** @enum {string} */
                type: "user" | "apiKey" | "system" | "runner" | "agentJob" | "workflow";
                /** @description Its id. */
                id: string;
            };
            data: {
                agentRunId: components["schemas"]["AgentRunId"];
                agentId: components["schemas"]["AgentId"];
                agentRevisionId: components["schemas"]["AgentRevisionId"];
                deploymentId: components["schemas"]["DeploymentId"] | null;
                /** @enum {string|null} */
                from: "queued" | "acquiring" | "starting" | "running" | "awaitingToolResult" | "awaitingDelegateResult" | "canceling" | "completed" | "failed" | "canceled" | "expired" | null;
                /** @constant */
                to: "completed";
            };
        };
        /** @description A run was admitted. */
        RunCreatedEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "run.created";
            /** @description When the change was made. */
            timestamp: components["schemas"]["Timestamp"];
            /** @description 1, 2, 3 … for each Environment, without gaps. */
            sequence: number;
            organizationId: components["schemas"]["OrganizationId"];
            projectId: components["schemas"]["ProjectId"];
            environmentId: components["schemas"]["EnvironmentId"];
            /** @description The subject of the event. */
            subject: {
                /** @enum {string} */
                type: "agentRun" | "deployment" | "environment" | "operationInvocation" | "operationApproval" | "entity" | "systemAgent" | "workflowRun" | "agentJob" | "webhook" | "organization" | "alertRule";
                /** @description Its id. */
                id: string;
            };
            /** @description Who caused the event. */
            actor: {
                /** @enum {string} */
                type: "user" | "apiKey" | "system" | "runner" | "agentJob" | "workflow";
                /** @description Its id. */
                id: string;
            };
            data: {
                agentRunId: components["schemas"]["AgentRunId"];
                agentId: components["schemas"]["AgentId"];
                agentRevisionId: components["schemas"]["AgentRevisionId"];
                deploymentId: components["schemas"]["DeploymentId"] | null;
                /** @enum {string|null} */
                from: "queued" | "acquiring" | "starting" | "running" | "awaitingToolResult" | "awaitingDelegateResult" | "canceling" | "completed" | "failed" | "canceled" | "expired" | null;
                /** @enum {string} */
                to: "queued" | "acquiring" | "starting" | "running" | "awaitingToolResult" | "awaitingDelegateResult" | "canceling" | "completed" | "failed" | "canceled" | "expired";
            };
        };
        /** @description A run has waited too long. */
        RunExpiredEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "run.expired";
            /** @description When the change was made. */
            timestamp: components["schemas"]["Timestamp"];
            /** @description 1, 2, 3 … for each Environment, without gaps. */
            sequence: number;
            organizationId: components["schemas"]["OrganizationId"];
            projectId: components["schemas"]["ProjectId"];
            environmentId: components["schemas"]["EnvironmentId"];
            /** @description The subject of the event. */
            subject: {
                /** @enum {string} */
                type: "agentRun" | "deployment" | "environment" | "operationInvocation" | "operationApproval" | "entity" | "systemAgent" | "workflowRun" | "agentJob" | "webhook" | "organization" | "alertRule";
                /** @description Its id. */
                id: string;
            };
            /** @description Who caused the event. */
            actor: {
                /** @enum {string} */
                type: "user" | "apiKey" | "system" | "runner" | "agentJob" | "workflow";
                /** @description Its id. */
                id: string;
            };
            data: {
                agentRunId: components["schemas"]["AgentRunId"];
                agentId: components["schemas"]["AgentId"];
                agentRevisionId: components["schemas"]["AgentRevisionId"];
                deploymentId: components["schemas"]["DeploymentId"] | null;
                /** @enum {string|null} */
                from: "queued" | "acquiring" | "starting" | "running" | "awaitingToolResult" | "awaitingDelegateResult" | "canceling" | "completed" | "failed" | "canceled" | "expired" | null;
                /** @constant */
                to: "expired";
            };
        };
        /** @description A run has failed. */
        RunFailedEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "run.failed";
            /** @description When the change was made. */
            timestamp: components["schemas"]["Timestamp"];
            /** @description 1, 2, 3 … for each Environment, without gaps. */
            sequence: number;
            organizationId: components["schemas"]["OrganizationId"];
            projectId: components["schemas"]["ProjectId"];
            environmentId: components["schemas"]["EnvironmentId"];
            /** @description The subject of the event. */
            subject: {
                /** @enum {string} */
                type: "agentRun" | "deployment" | "environment" | "operationInvocation" | "operationApproval" | "entity" | "systemAgent" | "workflowRun" | "agentJob" | "webhook" | "organization" | "alertRule";
                /** @description Its id. */
                id: string;
            };
            /** @description Who caused the event. */
            actor: {
                /** @enum {string} */
                type: "user" | "apiKey" | "system" | "runner" | "agentJob" | "workflow";
                /** @description Its id. */
                id: string;
            };
            data: {
                agentRunId: components["schemas"]["AgentRunId"];
                agentId: components["schemas"]["AgentId"];
                agentRevisionId: components["schemas"]["AgentRevisionId"];
                deploymentId: components["schemas"]["DeploymentId"] | null;
                /** @enum {string|null} */
                from: "queued" | "acquiring" | "starting" | "running" | "awaitingToolResult" | "awaitingDelegateResult" | "canceling" | "completed" | "failed" | "canceled" | "expired" | null;
                /** @constant */
                to: "failed";
            };
        };
        /** @description The limits of a run over all attempts, delegates and continuations. Once one is reached, no model step starts: the run fails with `budget_exhausted`. */
        RunLimits: {
            /** @description Input and output tokens of its model steps. */
            maxTokens?: number;
            maxCost?: components["schemas"]["Cost"];
        };
        /** @description An event of the stream of a log. */
        RunLogEvent: {
            /** @constant */
            event: "line";
            /** @description For `Last-Event-ID`. */
            id: string;
            data: components["schemas"]["RunLogLine"];
        } | {
            /** @constant */
            event: "end";
            /** @description For `Last-Event-ID`. */
            id: string;
            data: {
                /** @description 1, 2, 3 … over attempts and continues. */
                sequence: number;
                at: components["schemas"]["Timestamp"];
                attempt: number;
                /** @description The step that it is about. */
                agentStepId?: number;
                data: components["schemas"]["AgentRun"];
            };
        } | {
            /** @constant */
            event: "end";
            data: {
                /** @constant */
                reason: "revoked";
                at: components["schemas"]["Timestamp"];
            };
        };
        /** @description A line of the log of a run. */
        RunLogLine: {
            /** @description The number of the event in the stream of the run. */
            sequence: number;
            at: components["schemas"]["Timestamp"];
            /** @enum {string} */
            level: "info" | "warn" | "error";
            /**
             * @description Whose line it is.
             * @enum {string}
             */
            source: "server" | "runner";
            attempt: number;
            /** @description The step that it is about. */
            agentStepId?: number;
            /** @description At most 1,000 characters, without inputs, outputs and secrets. */
            message: string;
        };
        RunLogLinePage: {
            data: {
                items: components["schemas"]["RunLogLine"][];
            };
            pagination: components["schemas"]["Pagination"];
        };
        /** @description A run started running, after a start or a continue. */
        RunStartedEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "run.started";
            /** @description When the change was made. */
            timestamp: components["schemas"]["Timestamp"];
            /** @description 1, 2, 3 … for each Environment, without gaps. */
            sequence: number;
            organizationId: components["schemas"]["OrganizationId"];
            projectId: components["schemas"]["ProjectId"];
            environmentId: components["schemas"]["EnvironmentId"];
            /** @description The subject of the event. */
            subject: {
                /** @enum {string} */
                type: "agentRun" | "deployment" | "environment" | "operationInvocation" | "operationApproval" | "entity" | "systemAgent" | "workflowRun" | "agentJob" | "webhook" | "organization" | "alertRule";
                /** @description Its id. */
                id: string;
            };
            /** @description Who caused the event. */
            actor: {
                /** @enum {string} */
                type: "user" | "apiKey" | "system" | "runner" | "agentJob" | "workflow";
                /** @description Its id. */
                id: string;
            };
            data: {
                agentRunId: components["schemas"]["AgentRunId"];
                agentId: components["schemas"]["AgentId"];
                agentRevisionId: components["schemas"]["AgentRevisionId"];
                deploymentId: components["schemas"]["DeploymentId"] | null;
                /** @enum {string|null} */
                from: "queued" | "acquiring" | "starting" | "running" | "awaitingToolResult" | "awaitingDelegateResult" | "canceling" | "completed" | "failed" | "canceled" | "expired" | null;
                /** @constant */
                to: "running";
            };
        };
        RunTally: {
            /** @description Inclusive. */
            from: components["schemas"]["Timestamp"];
            /** @description Exclusive. */
            to: components["schemas"]["Timestamp"];
            /** @description Runs that ended as `completed`. */
            completed: number;
            /** @description Runs that ended as `failed`. */
            failed: number;
            /** @description Runs that ended as `canceled`. */
            canceled: number;
            /** @description Runs that ended as `expired`. */
            expired: number;
            /** @description The cost of model steps that ended in this interval; null without any, if one had no price, or if currencies differ. */
            cost?: components["schemas"]["Cost"] | null;
            /** @description The same by currency, whatever steps had no price. */
            costs?: components["schemas"]["Cost"][];
        };
        /** @description Estimates: each is off by less than the width of its bucket, between two powers of two milliseconds. null without measurements. */
        RunTimes: {
            /** @description The number of measurements. */
            count: number;
            /** @description The median. */
            p50Ms: number | null;
            /** @description The 90th percentile. */
            p90Ms: number | null;
            /** @description 99 in a hundred took no longer. */
            p99Ms: number | null;
        };
        /** @description One entry of the lifecycle journal. */
        RunTransition: {
            /** @description 1, 2, 3 … without gaps. */
            sequence: number;
            from: string | null;
            to: string;
            /** @description The event that caused the transition. */
            event: string;
            actor: {
                /** @enum {string} */
                type: "user" | "apiKey" | "agentJob" | "workflow" | "system" | "runner";
                id: string;
            };
            attempt: number;
            reason: components["schemas"]["Failure"] | null;
            at: components["schemas"]["Timestamp"];
        };
        RunTransitionPage: {
            data: {
                items: components["schemas"]["RunTransition"][];
            };
            pagination: components["schemas"]["Pagination"];
        };
        /** @description A run awaits the result of a call. */
        RunWaitingEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "run.waiting";
            /** @description When the change was made. */
            timestamp: components["schemas"]["Timestamp"];
            /** @description 1, 2, 3 … for each Environment, without gaps. */
            sequence: number;
            organizationId: components["schemas"]["OrganizationId"];
            projectId: components["schemas"]["ProjectId"];
            environmentId: components["schemas"]["EnvironmentId"];
            /** @description The subject of the event. */
            subject: {
                /** @enum {string} */
                type: "agentRun" | "deployment" | "environment" | "operationInvocation" | "operationApproval" | "entity" | "systemAgent" | "workflowRun" | "agentJob" | "webhook" | "organization" | "alertRule";
                /** @description Its id. */
                id: string;
            };
            /** @description Who caused the event. */
            actor: {
                /** @enum {string} */
                type: "user" | "apiKey" | "system" | "runner" | "agentJob" | "workflow";
                /** @description Its id. */
                id: string;
            };
            data: {
                agentRunId: components["schemas"]["AgentRunId"];
                agentId: components["schemas"]["AgentId"];
                agentRevisionId: components["schemas"]["AgentRevisionId"];
                deploymentId: components["schemas"]["DeploymentId"] | null;
                /** @enum {string|null} */
                from: "queued" | "acquiring" | "starting" | "running" | "awaitingToolResult" | "awaitingDelegateResult" | "canceling" | "completed" | "failed" | "canceled" | "expired" | null;
                /** @enum {string} */
                to: "awaitingToolResult" | "awaitingDelegateResult";
            };
        };
        /** @description A group of runners that execute the same runs. */
        RunnerPool: {
            id: components["schemas"]["RunnerPoolId"];
            /** @description Name */
            name: string;
            /**
             * @description Which runs its runners execute: those of the organization, or those of the whole server.
             * @enum {string}
             */
            scope: "organization" | "deployment";
            /** @description Null for pools of the server. */
            organizationId: components["schemas"]["OrganizationId"] | null;
            /** @description Whether the organization's runs execute only in its own pools, never on the server's runners. */
            exclusive: boolean;
            /** @description Creation */
            createdAt: components["schemas"]["Timestamp"];
            /** @description Last change */
            updatedAt: components["schemas"]["Timestamp"];
        };
        RunnerPoolAnswer: {
            data: components["schemas"]["RunnerPool"];
        };
        /** @description The fields to change. */
        RunnerPoolChanges: {
            /** @description Name */
            name?: string;
            /** @description Whether the organization's runs execute only in its own pools, never on the server's runners. */
            exclusive?: boolean;
        };
        /**
         * @description The id of one `RunnerPool`: `rpl_…`
         * @example rpl_01h455vb4pex5vsknk084sn02q
         */
        RunnerPoolId: string;
        RunnerPoolPage: {
            data: {
                items: components["schemas"]["RunnerPool"][];
            };
            pagination: components["schemas"]["Pagination"];
        };
        /** @description A token by which runners of the pool authenticate, without its secret. */
        RunnerToken: {
            id: components["schemas"]["RunnerTokenId"];
            poolId: components["schemas"]["RunnerPoolId"];
            /**
             * @description The beginning of the token, to identify it; null for `TROUPE_RUNNER_TOKEN`.
             * @example trr_7hQ2
             */
            prefix: string | null;
            /**
             * @description `configuration` is the token of `TROUPE_RUNNER_TOKEN`: only the operator can change it, not the API.
             * @enum {string}
             */
            origin: "api" | "configuration";
            /**
             * @description Expired tokens keep their status; see `expiresAt`.
             * @enum {string}
             */
            status: "active" | "revoked";
            /** @description When the token expires; null if it does not. */
            expiresAt: components["schemas"]["Timestamp"] | null;
            /** @description The last use, with a precision of one minute. */
            lastUsedAt: components["schemas"]["Timestamp"] | null;
            /** @description Null for the token of the configuration. */
            createdBy: components["schemas"]["UserId"] | null;
            /** @description Creation */
            createdAt: components["schemas"]["Timestamp"];
        };
        RunnerTokenAnswer: {
            data: components["schemas"]["RunnerToken"];
        };
        /**
         * @description The id of one `RunnerToken`: `rtk_…`
         * @example rtk_01h455vb4pex5vsknk084sn02q
         */
        RunnerTokenId: string;
        RunnerTokenPage: {
            data: {
                items: components["schemas"]["RunnerToken"][];
            };
            pagination: components["schemas"]["Pagination"];
        };
        /** @description A rotation of a token. */
        RunnerTokenRotation: {
            /** @description How long the rotated token remains valid, unless it expires earlier. Default: 3,600. */
            overlapSeconds?: number;
            /** @description When the token expires, at most 366 days ahead. Default: never. */
            expiresAt?: components["schemas"]["Timestamp"];
        };
        /** @description The signed-in user and the user's organizations. */
        Session: {
            user: {
                id: components["schemas"]["UserId"];
                /** @description In lower case. */
                email: string;
                /** @description Name */
                name: string;
                /** @description When the user was created. */
                createdAt: components["schemas"]["Timestamp"];
            };
            /** @description The user's organizations, oldest membership first. */
            organizations: {
                id: components["schemas"]["OrganizationId"];
                /** @description Slug */
                slug: string;
                /** @description Name */
                name: string;
                /**
                 * @description The user's role there.
                 * @enum {string}
                 */
                role: "owner" | "admin" | "member";
            }[];
            /** @description The CSRF token, sent with changes as `X-CSRF-Token`. */
            csrfToken: string;
        };
        SessionAnswer: {
            data: components["schemas"]["Session"];
        };
        /**
         * @description The id of one `Session`: `ses_…`
         * @example ses_01h455vb4pex5vsknk084sn02q
         */
        SessionId: string;
        /** @description The credentials of a sign-in. */
        SignIn: {
            /** @description The e-mail address; case-insensitive. */
            email: string;
            /** @description The password. */
            password: string;
            /**
             * @description The slug of an organization: only its members can sign in. For an address that several accounts claim.
             * @example default
             */
            organization?: string;
        };
        /** @description The result of an event or of a due deadline. */
        SimulatedStep: {
            /** @description Which step of the request; null: the creation. */
            step: number | null;
            /** @enum {string} */
            cause: "creation" | "event" | "deadline";
            event: string;
            at: components["schemas"]["Timestamp"];
            from: string | null;
            /** @description Equal to `from` when the state stays. */
            to: string | null;
            accepted: boolean;
            /** @description The rows for this event, in the order in which they are tried, and what their guards say. */
            rows: {
                to: string;
                guard: string | null;
                /** @description null: the guard cannot be evaluated with this data. */
                holds: boolean | null;
                /** @description The answer was given with the step. */
                assumed: boolean;
                taken: boolean;
            }[];
            /** @description The effects that would be requested, in order. */
            effects: {
                effect: string;
                /**
                 * @description `commit`: with the move, in one unit of work. `durable`: after it, repeated until it is done. `hint`: after it, a wake-up for work that the stored state itself asks for.
                 * @enum {string}
                 */
                done: "commit" | "hint" | "durable";
            }[];
            /** @description The number that the row in the journal would have; null: no row is written. */
            sequence: number | null;
            /** @description The fields of the context that have another value, with it. */
            changes: {
                [key: string]: unknown;
            };
            /** @description The deadlines that run, the next one first. */
            timers: {
                event: string;
                dueAt: components["schemas"]["Timestamp"];
            }[];
            /** @description The answer that the sender would get. */
            refusal: {
                status: number;
                code: string;
                message: string;
            } | null;
        };
        /** @description The result of the call. Nothing is stored or executed. */
        Simulation: {
            kind: string;
            machineVersion: string;
            /** @description Before the first step. */
            start: {
                /** @description null: it has not been created. */
                state: string | null;
                /** @description The time of its clock. */
                at: components["schemas"]["Timestamp"];
                /** @description The context of the statechart, without secrets. */
                context: {
                    [key: string]: unknown;
                };
                /** @description The deadlines that run, the next one first. */
                timers: {
                    event: string;
                    dueAt: components["schemas"]["Timestamp"];
                }[];
            };
            /** @description Refused events change nothing, and the next step continues. */
            steps: components["schemas"]["SimulatedStep"][];
            end: {
                /** @description null: it has not been created. */
                state: string | null;
                /** @description The time of its clock. */
                at: components["schemas"]["Timestamp"];
                /** @description The context of the statechart, without secrets. */
                context: {
                    [key: string]: unknown;
                };
                /** @description The deadlines that run, the next one first. */
                timers: {
                    event: string;
                    dueAt: components["schemas"]["Timestamp"];
                }[];
                /** @description Events that the last state has a row for. */
                nextEvents: string[];
            };
            /** @description Whether all steps were executed; false: the simulation ended early because of too many deadlines or changes. */
            complete: boolean;
        };
        SimulationAnswer: {
            data: components["schemas"]["Simulation"];
        };
        /** @description Time that passes, an event, or time and then an event. */
        SimulationStep: {
            /** @description Advances the clock by this time first; each deadline that is due by then fires in order. */
            waitMs?: number;
            /**
             * @description The event, with whatever fields it has.
             * @example {
             *       "type": "cancel"
             *     }
             */
            event?: string | ({
                type: string;
            } & {
                [key: string]: unknown;
            });
            /**
             * @description Results of guards by name; guards that are named here are not evaluated.
             * @example {
             *       "retriesLeft": false
             *     }
             */
            assume?: {
                [key: string]: boolean;
            };
        };
        /** @description The event is stored. */
        StripeReceipt: {
            /** @constant */
            received: true;
        };
        /** @description The subscription of the organization. */
        Subscription: {
            /** @description The plan; without a contract, and after its end, the plan of price zero. */
            planKey: string;
            /** @enum {string} */
            status: "active" | "trialing" | "past_due" | "canceled";
            currentPeriod: components["schemas"]["BillingPeriod"];
            /** @description When the contract ends, if it is scheduled to. */
            cancelAt: components["schemas"]["Timestamp"] | null;
        };
        SubscriptionAnswer: {
            data: components["schemas"]["Subscription"];
        };
        /** @description An agent of the platform: without Project, Environment and Release. */
        SystemAgent: {
            /**
             * @description The id of an agent of the platform (`agt_system_…`).
             * @example agt_system_assistant
             */
            id: string;
            /** @example Assistant */
            name: string;
            description: string | null;
            /** @description The presentation of the Agent for its users. */
            presentation: {
                /** @description The name of the Agent for its users. */
                displayName?: string;
                /** @description What it says first. */
                greeting?: string;
                /** @description Suggested queries. */
                suggestedQueries?: string[];
            } | null;
            /** @description The revision of runs that start now. */
            latestRevisionId: components["schemas"]["AgentRevisionId"];
            /** @description The number of that revision. */
            number: number;
            /**
             * @description SHA-256 of the RFC 8785 form of `content`.
             * @example sha256:0000000000000000000000000000000000000000000000000000000000000000
             */
            contentDigest: string;
            /** @description Whether it can be started. Existing runs continue. */
            enabled: boolean;
            /** @description When that revision was published. */
            createdAt: components["schemas"]["Timestamp"];
        };
        SystemAgentAnswer: {
            data: components["schemas"]["SystemAgent"];
        };
        /**
         * @description Whether runs of it may be started.
         * @example {
         *       "enabled": false
         *     }
         */
        SystemAgentChanges: {
            /** @description Whether it can be started. */
            enabled?: boolean;
        };
        SystemAgentPage: {
            data: {
                items: components["schemas"]["SystemAgent"][];
            };
            pagination: components["schemas"]["Pagination"];
        };
        /** @description A System Agent was enabled or disabled. */
        SystemAgentPolicyChangedEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "system_agent.policy_changed";
            /** @description When the change was made. */
            timestamp: components["schemas"]["Timestamp"];
            /** @description 1, 2, 3 … for each Environment, without gaps. */
            sequence: number;
            organizationId: components["schemas"]["OrganizationId"];
            projectId: components["schemas"]["ProjectId"];
            environmentId: components["schemas"]["EnvironmentId"];
            /** @description The subject of the event. */
            subject: {
                /** @enum {string} */
                type: "agentRun" | "deployment" | "environment" | "operationInvocation" | "operationApproval" | "entity" | "systemAgent" | "workflowRun" | "agentJob" | "webhook" | "organization" | "alertRule";
                /** @description Its id. */
                id: string;
            };
            /** @description Who caused the event. */
            actor: {
                /** @enum {string} */
                type: "user" | "apiKey" | "system" | "runner" | "agentJob" | "workflow";
                /** @description Its id. */
                id: string;
            };
            data: {
                /** @description agt_system_… */
                agentId: string;
                /** @enum {string} */
                from: "enabled" | "disabled";
                /** @enum {string} */
                to: "enabled" | "disabled";
            };
        };
        /** @description A System Agent has a new revision. */
        SystemAgentPublishedEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "system_agent.published";
            /** @description When the change was made. */
            timestamp: components["schemas"]["Timestamp"];
            /** @description 1, 2, 3 … for each Environment, without gaps. */
            sequence: number;
            organizationId: components["schemas"]["OrganizationId"];
            projectId: components["schemas"]["ProjectId"];
            environmentId: components["schemas"]["EnvironmentId"];
            /** @description The subject of the event. */
            subject: {
                /** @enum {string} */
                type: "agentRun" | "deployment" | "environment" | "operationInvocation" | "operationApproval" | "entity" | "systemAgent" | "workflowRun" | "agentJob" | "webhook" | "organization" | "alertRule";
                /** @description Its id. */
                id: string;
            };
            /** @description Who caused the event. */
            actor: {
                /** @enum {string} */
                type: "user" | "apiKey" | "system" | "runner" | "agentJob" | "workflow";
                /** @description Its id. */
                id: string;
            };
            data: {
                /** @description agt_system_… */
                agentId: string;
                agentRevisionId: components["schemas"]["AgentRevisionId"];
                previousAgentRevisionId: components["schemas"]["AgentRevisionId"] | null;
                /** @description The number of the revision. */
                number: number;
            };
        };
        /** @description Ready-made Agents and Definitions to start a Project from. */
        Template: {
            id: components["schemas"]["TemplateId"];
            /** @example support-desk */
            slug: string;
            name: string;
            description: string;
            tags: string[];
            /** @description The contents of a Project created from it, each as revision 1. */
            agents: components["schemas"]["TemplateAgent"][];
            /** @description The Definitions that come with them, the same way. */
            definitions: components["schemas"]["TemplateDefinition"][];
        };
        /** @description An Agent that a Project begins with. */
        TemplateAgent: {
            slug: string;
            name: string;
            description: string;
            /** @description As in a revision, but delegates of the template are named by slug. */
            content: {
                /** @description The instructions of the Agent. */
                instructions: string;
                /** @description The model that the author has in mind; a run and a provider setting go before it. */
                model?: {
                    /**
                     * @description Default: the platform default.
                     * @enum {string}
                     */
                    provider?: "anthropic" | "openai" | "google" | "mistral" | "xai" | "groq" | "deepseek" | "cohere";
                    /** @description A model of the provider. */
                    model?: string;
                    /** @description The limit of the model's reasoning: tokens, or a level. */
                    reasoningBudget?: number | ("low" | "medium" | "high");
                    /** @description Additional text for the model. */
                    settings?: {
                        /** @description Sampling temperature. */
                        temperature?: number;
                        /** @description Nucleus sampling: the probability mass to sample from. */
                        topP?: number;
                        /** @description The number of most likely tokens to sample from. */
                        topK?: number;
                        /** @description The most output tokens of one step. */
                        maxOutputTokens?: number;
                        /** @description Sequences that end the output. */
                        stopSequences?: string[];
                        /** @description Seed for reproducible output, if the vendor supports it. */
                        seed?: number;
                        /** @description Penalty for tokens that have already occurred. */
                        presencePenalty?: number;
                        /** @description Penalty for tokens by how often they have occurred. */
                        frequencyPenalty?: number;
                    };
                };
                /** @description The tools of the model. */
                tools?: components["schemas"]["AgentTool"][];
                delegates?: ({
                    name: string;
                    description: string;
                    /** @description The slug of another Agent of the template. */
                    agent: string;
                } | {
                    name: string;
                    description: string;
                    /** @constant */
                    external: true;
                })[];
                /** @description What the run's output must match. JSON Schema, draft 2020-12 unless `$schema` says. */
                outputSchema?: {
                    [key: string]: unknown;
                };
                /** @description The maximum number of model steps of a run. Default: 20. */
                maxSteps?: number;
                limits?: components["schemas"]["RunLimits"];
                /** @description The presentation of the Agent for its users. */
                presentation?: {
                    /** @description The name of the Agent for its users. */
                    displayName?: string;
                    /** @description What it says first. */
                    greeting?: string;
                    /** @description Suggested queries. */
                    suggestedQueries?: string[];
                };
                /** @description Connections and variables that it needs. */
                bindings?: {
                    /**
                     * @description The Agent's name for it. Unique among its bindings.
                     * @example shop
                     */
                    bindingKey: string;
                    /**
                     * @description What is to be bound.
                     * @enum {string}
                     */
                    kind: "connection" | "variable";
                    /**
                     * @description With `kind: connection` only.
                     * @enum {string}
                     */
                    connectionKind?: "http" | "database" | "object_storage" | "messaging" | "custom";
                    /** @description Whether a Deployment without it fails. */
                    required: boolean;
                }[];
                /** @description Notes of the author. */
                metadata?: {
                    [key: string]: unknown;
                };
            };
            /** @description The grants of runs of the revision: permission names, and `<definition>.<operation>` for operations. */
            grantedOperations: string[];
        };
        TemplateAnswer: {
            data: components["schemas"]["Template"];
        };
        /** @description A Definition that a Project begins with. */
        TemplateDefinition: {
            /**
             * @description Unique in the Project.
             * @example orders
             */
            name: string;
            /**
             * @description The content of its source.
             * @enum {string}
             */
            kind: "operations" | "workflow" | "entity";
            description: string;
            /** @description What the Definition says, as the Definition's kind asks for. */
            source: components["schemas"]["OperationsSource"] | components["schemas"]["WorkflowSource"] | components["schemas"]["EntitySource"];
        };
        /**
         * @description The id of one `Template`: `tpl_…`
         * @example tpl_01h455vb4pex5vsknk084sn02q
         */
        TemplateId: string;
        TemplatePage: {
            data: {
                items: components["schemas"]["Template"][];
            };
            pagination: components["schemas"]["Pagination"];
        };
        /**
         * Format: date-time
         * @description An instant: RFC 3339 in UTC with milliseconds.
         * @example 2026-01-31T12:00:00.000Z
         */
        Timestamp: string;
        /** @description The tokens that the model read and wrote. */
        TokenUsage: {
            inputTokens: number;
            outputTokens: number;
            totalTokens: number;
            cachedInputTokens: number;
            reasoningTokens: number;
        };
        /** @description What came of a call. */
        ToolCall: {
            /**
             * @description `awaits_answer`: a run would wait here until its client continues it with the result, any JSON value.
             * @enum {string}
             */
            outcome: "output" | "error" | "awaits_answer";
            /** @description The result that the model would get; null unless the outcome is `output`. */
            output: unknown;
            /** @description The answer that the model would get. */
            error: {
                /** @example tool_error */
                code: string;
                message: string;
            } | null;
        };
        ToolCallAnswer: {
            data: components["schemas"]["ToolCall"];
        };
        /** @description One entry of the journal of an actor. */
        Transition: {
            /** @description 1, 2, 3 … without gaps. */
            sequence: number;
            /** @description The state before; null at creation. */
            from: string | null;
            /** @description The state after; equal to `from` if unchanged. */
            to: string;
            /** @description The event that caused the transition. */
            event: string;
            actor: {
                /** @enum {string} */
                type: "user" | "apiKey" | "system" | "runner" | "agentJob" | "workflow";
                id: string;
            };
            attempt: number;
            reason: {
                code: string;
                message: string;
            } | null;
            at: components["schemas"]["Timestamp"];
        };
        TransitionPage: {
            data: {
                items: components["schemas"]["Transition"][];
            };
            pagination: components["schemas"]["Pagination"];
        };
        /** @description The outcome of the step, or that it is to be repeated. */
        UnknownResolution: {
            /**
             * @description The step whose outcome is unknown, or the element of one: `charge-card.3`.
             * @example charge-card
             */
            stepId: string;
            outcome: ("succeeded" | "failed" | "retry") | {
                /** @constant */
                status: "succeeded";
                /** @description The output of the step, according to the `outputSchema` of its operation. */
                output: unknown;
            };
        };
        /** @description The usage of the organization, with `by` split by owner. */
        UsageAnswer: {
            period: components["schemas"]["BillingPeriod"];
            minutes: {
                /** @description Time for which attempts held a machine; counted when an attempt ends. */
                used: number;
                /** @description Reserved for live runs, initially a minute each. A start is refused (402) once `used` and `reserved` together reach the budget; unused time is released when a run ends or waits. */
                reserved: number;
                /** @description null: unlimited. */
                budget: number | null;
                remaining: number | null;
            };
            runs: {
                /** @description A continue does not count as a run. */
                started: number;
                /** @description Completions, including those after a continue. */
                completed: number;
                /** @description Failures, including those after a continue. */
                failed: number;
            };
            tokens: {
                /** @description Input tokens of models. */
                input: number;
                /** @description Output tokens of models. */
                output: number;
            };
            /** @description The cost of model steps; null if one had no price or currencies differ. Omitted without prices. */
            cost?: components["schemas"]["Cost"] | null;
            /** @description The same by currency, whatever steps had no price. Omitted without prices. */
            costs?: components["schemas"]["Cost"][];
            /** @description The current counts of the organization and their limits. */
            limits: {
                /** @description Projects. */
                projects: {
                    used: number;
                    /** @description null: unlimited. */
                    limit: number | null;
                };
                /** @description Agents in the organization's Projects. */
                agents: {
                    used: number;
                    /** @description null: unlimited. */
                    limit: number | null;
                };
                /** @description Unfinished runs. */
                liveRuns: {
                    used: number;
                    /** @description null: unlimited. */
                    limit: number | null;
                };
                /** @description Open event streams of this server process. */
                openStreams: {
                    used: number;
                    /** @description null: unlimited. */
                    limit: number | null;
                };
                /** @description Stored bytes of runs; the billing page of the docs says what counts. */
                storedBytes: {
                    used: number;
                    /** @description null: unlimited. */
                    limit: number | null;
                };
            };
            /** @description Past periods with usage, latest first; at most 24. */
            pastPeriods: components["schemas"]["BillingPeriod"][];
            /** @description With `by`: the usage of each Project or Agent, the most first; at most 1,000. */
            items?: components["schemas"]["UsageShare"][];
        };
        UsageAnswerAnswer: {
            data: components["schemas"]["UsageAnswer"];
        };
        /** @description The usage of one Project or Agent. `budget` and `remaining` are null, because the budget belongs to the organization. */
        UsageShare: {
            period: components["schemas"]["BillingPeriod"];
            minutes: {
                /** @description Time for which attempts held a machine; counted when an attempt ends. */
                used: number;
                /** @description Reserved for live runs, initially a minute each. A start is refused (402) once `used` and `reserved` together reach the budget; unused time is released when a run ends or waits. */
                reserved: number;
                /** @description null: unlimited. */
                budget: number | null;
                remaining: number | null;
            };
            runs: {
                /** @description A continue does not count as a run. */
                started: number;
                /** @description Completions, including those after a continue. */
                completed: number;
                /** @description Failures, including those after a continue. */
                failed: number;
            };
            tokens: {
                /** @description Input tokens of models. */
                input: number;
                /** @description Output tokens of models. */
                output: number;
            };
            /** @description The cost of model steps; null if one had no price or currencies differ. Omitted without prices. */
            cost?: components["schemas"]["Cost"] | null;
            /** @description The same by currency, whatever steps had no price. Omitted without prices. */
            costs?: components["schemas"]["Cost"][];
            /** @description With `by=project`; null for runs outside Projects. */
            projectId?: string | null;
            /** @description With `by=agent`; null for usage from before it was counted by Agent. */
            agentId?: string | null;
            /** @description The name of the Project or Agent; null if it was deleted or there is none. */
            name: string | null;
        };
        /** @description Members who get access together. */
        UserGroup: {
            id: components["schemas"]["UserGroupId"];
            name: string;
            createdAt: components["schemas"]["Timestamp"];
            updatedAt: components["schemas"]["Timestamp"];
        };
        UserGroupAnswer: {
            data: components["schemas"]["UserGroup"];
        };
        /** @description The fields of a user group. */
        UserGroupFields: {
            /** @description Unique in the organization. */
            name: string;
        };
        /**
         * @description The id of one `UserGroup`: `ugr_…`
         * @example ugr_01h455vb4pex5vsknk084sn02q
         */
        UserGroupId: string;
        /** @description A user in a group. */
        UserGroupMember: {
            userId: components["schemas"]["UserId"];
            email: string;
            name: string;
            /** @description When the user was added to the group. */
            createdAt: components["schemas"]["Timestamp"];
        };
        UserGroupMemberAnswer: {
            data: components["schemas"]["UserGroupMember"];
        };
        UserGroupMemberPage: {
            data: {
                items: components["schemas"]["UserGroupMember"][];
            };
            pagination: components["schemas"]["Pagination"];
        };
        UserGroupPage: {
            data: {
                items: components["schemas"]["UserGroup"][];
            };
            pagination: components["schemas"]["Pagination"];
        };
        /**
         * @description The id of one `User`: `usr_…`
         * @example usr_01h455vb4pex5vsknk084sn02q
         */
        UserId: string;
        /** @description A value for the Agents of an Environment. It is never shown. */
        Variable: {
            id: components["schemas"]["VariableId"];
            /**
             * @description Capitals, digits and underscores, a capital first: 1 to 128 characters.
             * @example SHOP_TOKEN
             */
            name: string;
            /** @description The newest version; each new value or source creates one. */
            version: number;
            description: string | null;
            /** @description The organization variable that it takes its value from. */
            sourceVariableId: components["schemas"]["VariableId"] | null;
            /** @description The pinned version of it. */
            sourceVersion: number | null;
            /** @description The Agent that it is for; null if it is for all Agents. */
            agentId: components["schemas"]["AgentId"] | null;
            /**
             * @description The key that the Agent uses for it.
             * @example shop
             */
            bindingKey: string | null;
            /**
             * @description Only an active one is used.
             * @enum {string}
             */
            status: "active" | "disabled";
            /**
             * @description Equal for equal values of the organization: an HMAC under a separate key, which reveals nothing else.
             * @example hmac-sha256:0000000000000000000000000000000000000000000000000000000000000000
             */
            valueDigest: string;
            /** @description In characters. */
            valueLength: number;
            createdAt: components["schemas"]["Timestamp"];
            updatedAt: components["schemas"]["Timestamp"];
        };
        VariableAnswer: {
            data: components["schemas"]["Variable"];
        };
        /** @description A variable whose pin has changed. */
        VariableChange: {
            /** @example SHOP_REGION */
            name: string;
            /**
             * @description The Agent that it is bound to; null if it is for all Agents.
             * @example clerk
             */
            agent: string | null;
            /** @description The key that it is bound under. */
            bindingKey: string | null;
            /**
             * @description What has become of it.
             * @enum {string}
             */
            change: "added" | "removed" | "changed";
            before: {
                variableId: components["schemas"]["VariableId"];
                version: number;
            } | null;
            after: {
                variableId: components["schemas"]["VariableId"];
                version: number;
            } | null;
        };
        /** @description The fields to change; a value or a source becomes the next version. */
        VariableChanges: {
            /** @description The value: 0 to 65,536 characters. It is never shown again. */
            value?: string;
            /** @description An organization variable to take the value from. */
            sourceVariableId?: components["schemas"]["VariableId"];
            /** @description The version of it. */
            sourceVersion?: number;
            /** @description Null removes it. */
            description?: string | null;
            /**
             * @description Only an active one is used.
             * @enum {string}
             */
            status?: "active" | "disabled";
            /** @description An Agent of the Project that it is for; null if it is for all Agents. */
            agentId?: components["schemas"]["AgentId"] | null;
            /**
             * @description The key that the Agent uses for it.
             * @example shop
             */
            bindingKey?: string | null;
        };
        /**
         * @description The id of one `Variable`: `var_…`
         * @example var_01h455vb4pex5vsknk084sn02q
         */
        VariableId: string;
        VariablePage: {
            data: {
                items: components["schemas"]["Variable"][];
            };
            pagination: components["schemas"]["Pagination"];
        };
        /** @description A subscription to the events of an Environment's history. */
        Webhook: {
            id: components["schemas"]["WebhookId"];
            /**
             * @description The URL that events are posted to: https, without user name, password and fragment.
             * @example https://example.com/hooks/troupe
             */
            endpointUrl: string;
            /**
             * @description The kinds of events that it subscribes to.
             * @example [
             *       "run.completed",
             *       "run.failed"
             *     ]
             */
            eventTypes: components["schemas"]["EventKind"][];
            /** @description A disabled webhook gets no new deliveries, and waiting ones wait until it is enabled. */
            enabled: boolean;
            /**
             * @description Why the server disabled it: the endpoint answered 410, or all attempts failed for 120 hours, at least ten.
             * @enum {string|null}
             */
            disabledReason: "endpoint_gone" | "failing" | null;
            /** @description The first failed attempt since the endpoint last accepted one; null if the last attempt succeeded. */
            failingSince: components["schemas"]["Timestamp"] | null;
            /** @description Deliveries that are `dead-letter`; no more than 1,000 are counted. */
            deadLetters: number;
            /** @description Whether the first KiB of each answer that refuses a delivery is kept with the attempt, visible to readers of deliveries. */
            captureResponses: boolean;
            /** @description The version of the signing secret; a rotation adds one. */
            secretVersion: number;
            createdAt: components["schemas"]["Timestamp"];
            updatedAt: components["schemas"]["Timestamp"];
        };
        WebhookAnswer: {
            data: components["schemas"]["Webhook"];
        };
        /** @description The fields to change. */
        WebhookChanges: {
            /**
             * @description The URL that events are posted to: https, without user name, password and fragment.
             * @example https://example.com/hooks/troupe
             */
            endpointUrl?: string;
            /**
             * @description The kinds of events that it subscribes to.
             * @example [
             *       "run.completed",
             *       "run.failed"
             *     ]
             */
            eventTypes?: components["schemas"]["EventKind"][];
            /** @description Whether it gets deliveries. */
            enabled?: boolean;
            /** @description Whether the first KiB of each answer that refuses a delivery is kept with the attempt, visible to readers of deliveries. */
            captureResponses?: boolean;
        };
        /** @description The delivery of one event to one webhook. */
        WebhookDelivery: {
            deliveryId: components["schemas"]["WebhookDeliveryId"];
            webhookId: components["schemas"]["WebhookId"];
            /** @description The event; also the `webhook-id` of every attempt and replay. */
            eventId: components["schemas"]["EventId"];
            eventType: components["schemas"]["RecordedEventKind"];
            /**
             * @description The state of its statechart: `GET /api/v1/machines/delivery`.
             * @enum {string}
             */
            state: "pending" | "in-flight" | "retrying" | "delivered" | "dead-letter";
            /** @description Attempts since creation or the last retry. */
            attempts: number;
            /** @description The next attempt while `retrying`. */
            nextAttemptAt: components["schemas"]["Timestamp"] | null;
            /** @description The delivery that this one replays. */
            replayOf: components["schemas"]["WebhookDeliveryId"] | null;
            lastAttempt: components["schemas"]["DeliveryAttempt"] | null;
            /** @description The last 20 attempts, latest last. */
            attemptHistory: components["schemas"]["DeliveryAttempt"][];
            createdAt: components["schemas"]["Timestamp"];
            updatedAt: components["schemas"]["Timestamp"];
            deliveredAt: components["schemas"]["Timestamp"] | null;
            /** @description When it is removed, together with its event. */
            expiresAt: components["schemas"]["Timestamp"];
        };
        WebhookDeliveryAnswer: {
            data: components["schemas"]["WebhookDelivery"];
        };
        /**
         * @description The id of one `WebhookDelivery`: `dlv_…`
         * @example dlv_01h455vb4pex5vsknk084sn02q
         */
        WebhookDeliveryId: string;
        WebhookDeliveryPage: {
            data: {
                items: components["schemas"]["WebhookDelivery"][];
            };
            pagination: components["schemas"]["Pagination"];
        };
        /** @description The number of dead letters by Environment. */
        WebhookDeliveryStatistics: {
            /** @description Deliveries that are `dead-letter`, in all Environments. */
            deadLetters: number;
            /** @description The 20 Environments with the most dead letters, the most first. */
            environments: components["schemas"]["EnvironmentDeadLetters"][];
        };
        WebhookDeliveryStatisticsAnswer: {
            data: components["schemas"]["WebhookDeliveryStatistics"];
        };
        /** @description A webhook was disabled because its endpoint fails or answers 410. */
        WebhookDisabledEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "webhook.disabled";
            /** @description When the change was made. */
            timestamp: components["schemas"]["Timestamp"];
            /** @description 1, 2, 3 … for each Environment, without gaps. */
            sequence: number;
            organizationId: components["schemas"]["OrganizationId"];
            projectId: components["schemas"]["ProjectId"];
            environmentId: components["schemas"]["EnvironmentId"];
            /** @description The subject of the event. */
            subject: {
                /** @enum {string} */
                type: "agentRun" | "deployment" | "environment" | "operationInvocation" | "operationApproval" | "entity" | "systemAgent" | "workflowRun" | "agentJob" | "webhook" | "organization" | "alertRule";
                /** @description Its id. */
                id: string;
            };
            /** @description Who caused the event. */
            actor: {
                /** @enum {string} */
                type: "user" | "apiKey" | "system" | "runner" | "agentJob" | "workflow";
                /** @description Its id. */
                id: string;
            };
            data: {
                webhookId: components["schemas"]["WebhookId"];
                /** @enum {string} */
                reason: "endpoint_gone" | "failing";
            };
        };
        /**
         * @description The id of one `Webhook`: `whk_…`
         * @example whk_01h455vb4pex5vsknk084sn02q
         */
        WebhookId: string;
        WebhookPage: {
            data: {
                items: components["schemas"]["Webhook"][];
            };
            pagination: components["schemas"]["Pagination"];
        };
        /** @description A recovery of dead letters and missed events, in the background. */
        WebhookRecovery: {
            id: components["schemas"]["WebhookRecoveryId"];
            webhookId: components["schemas"]["WebhookId"];
            /**
             * @description The state of its statechart: `GET /api/v1/machines/webhook-recovery`.
             * @enum {string}
             */
            state: "running" | "completed" | "canceled" | "failed";
            since: components["schemas"]["Timestamp"];
            /** @description The progress of the recovery. */
            progress: {
                /** @description Dead letters that were retried. */
                retried: number;
                /** @description Deliveries created from missed events. */
                made: number;
                /** @description The unprocessed work. */
                left: ("dead-letter" | "missed")[];
            };
            /** @description Why it failed. */
            error: {
                code: string;
                message: string;
            } | null;
            createdAt: components["schemas"]["Timestamp"];
            updatedAt: components["schemas"]["Timestamp"];
            endedAt: components["schemas"]["Timestamp"] | null;
        };
        WebhookRecoveryAnswer: {
            data: components["schemas"]["WebhookRecovery"];
        };
        /**
         * @description The id of one `WebhookRecovery`: `whr_…`
         * @example whr_01h455vb4pex5vsknk084sn02q
         */
        WebhookRecoveryId: string;
        WebhookRecoveryPage: {
            data: {
                items: components["schemas"]["WebhookRecovery"][];
            };
            pagination: components["schemas"]["Pagination"];
        };
        /** @description A test event of a webhook. */
        WebhookTestEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "webhook.test";
            /** @description When the change was made. */
            timestamp: components["schemas"]["Timestamp"];
            /** @description 1, 2, 3 … for each Environment, without gaps. */
            sequence: number;
            organizationId: components["schemas"]["OrganizationId"];
            projectId: components["schemas"]["ProjectId"];
            environmentId: components["schemas"]["EnvironmentId"];
            /** @description The subject of the event. */
            subject: {
                /** @enum {string} */
                type: "agentRun" | "deployment" | "environment" | "operationInvocation" | "operationApproval" | "entity" | "systemAgent" | "workflowRun" | "agentJob" | "webhook" | "organization" | "alertRule";
                /** @description Its id. */
                id: string;
            };
            /** @description Who caused the event. */
            actor: {
                /** @enum {string} */
                type: "user" | "apiKey" | "system" | "runner" | "agentJob" | "workflow";
                /** @description Its id. */
                id: string;
            };
            data: {
                webhookId: components["schemas"]["WebhookId"];
            };
        };
        /** @description A webhook with its new signing secret. */
        WebhookWithSecret: {
            id: components["schemas"]["WebhookId"];
            /**
             * @description The URL that events are posted to: https, without user name, password and fragment.
             * @example https://example.com/hooks/troupe
             */
            endpointUrl: string;
            /**
             * @description The kinds of events that it subscribes to.
             * @example [
             *       "run.completed",
             *       "run.failed"
             *     ]
             */
            eventTypes: components["schemas"]["EventKind"][];
            /** @description A disabled webhook gets no new deliveries, and waiting ones wait until it is enabled. */
            enabled: boolean;
            /**
             * @description Why the server disabled it: the endpoint answered 410, or all attempts failed for 120 hours, at least ten.
             * @enum {string|null}
             */
            disabledReason: "endpoint_gone" | "failing" | null;
            /** @description The first failed attempt since the endpoint last accepted one; null if the last attempt succeeded. */
            failingSince: components["schemas"]["Timestamp"] | null;
            /** @description Deliveries that are `dead-letter`; no more than 1,000 are counted. */
            deadLetters: number;
            /** @description Whether the first KiB of each answer that refuses a delivery is kept with the attempt, visible to readers of deliveries. */
            captureResponses: boolean;
            /** @description The version of the signing secret; a rotation adds one. */
            secretVersion: number;
            createdAt: components["schemas"]["Timestamp"];
            updatedAt: components["schemas"]["Timestamp"];
            /**
             * @description `whsec_` and 32 bytes in base64. Shown only in this answer.
             * @example whsec_…
             */
            signingSecret: string;
        };
        WebhookWithSecretAnswer: {
            data: components["schemas"]["WebhookWithSecret"];
        };
        /** @description Either an output or an error. */
        WorkerAnswer: {
            /** @description The `token` of the lease. */
            token: string;
            /** @description The output of the operation, according to its `outputSchema`. */
            output?: unknown;
            /** @description Why there is no output. */
            error?: {
                /** @example card_declined */
                code: string;
                /** @description The caller reads it; no secrets. */
                message: string;
                /** @description Nothing has happened, and another attempt may succeed. */
                retryable: boolean;
            };
        };
        /** @description The answer was taken. */
        WorkerAnswerTaken: {
            /**
             * @description The state of the call: `GET /api/v1/machines/worker-call`.
             * @enum {string}
             */
            state: "succeeded" | "failed" | "retrying";
        };
        WorkerAnswerTakenAnswer: {
            data: components["schemas"]["WorkerAnswerTaken"];
        };
        /** @description Answers to several calls. */
        WorkerAnswers: {
            answers: {
                invocationId: components["schemas"]["OperationInvocationId"];
                /** @description The `token` of the lease. */
                token: string;
                /** @description The output of the operation, according to its `outputSchema`. */
                output?: unknown;
                /** @description Why there is no output. */
                error?: {
                    /** @example card_declined */
                    code: string;
                    /** @description The caller reads it; no secrets. */
                    message: string;
                    /** @description Nothing has happened, and another attempt may succeed. */
                    retryable: boolean;
                };
            }[];
        };
        /** @description The result for each answer, in the same order. */
        WorkerAnswersTaken: {
            items: {
                invocationId: components["schemas"]["OperationInvocationId"];
                /**
                 * @description The state of the call; null: it was not accepted.
                 * @enum {string|null}
                 */
                state: "succeeded" | "failed" | "retrying" | null;
                /** @description Why the answer was not accepted. */
                error: {
                    /** @example stale_lease */
                    code: string;
                    message: string;
                } | null;
            }[];
        };
        WorkerAnswersTakenAnswer: {
            data: components["schemas"]["WorkerAnswersTaken"];
        };
        WorkerHeartbeat: {
            /** @description The `token` of the lease. */
            token: string;
        };
        /** @description The answer to a worker's heartbeat. */
        WorkerHeartbeatAnswer: {
            /** @description When the lease is lost without another heartbeat. */
            expiresAt: components["schemas"]["Timestamp"];
            /**
             * @description `cancel`: the call is no longer wanted.
             * @enum {string}
             */
            signal: "continue" | "cancel";
        };
        WorkerHeartbeatAnswerAnswer: {
            data: components["schemas"]["WorkerHeartbeatAnswer"];
        };
        /** @description A call that a worker has to make. */
        WorkerLease: {
            invocationId: components["schemas"]["OperationInvocationId"];
            /**
             * @description The operation: `<definition>.<operation>`.
             * @example tickets.escalate
             */
            operation: string;
            /** @description The input of the operation, by its `inputSchema`. */
            input: unknown;
            /** @description The number of leases of the call, including this one. */
            attempt: number;
            /** @description The same for each attempt of the call. */
            idempotencyKey: string;
            /** @description When the lease is lost without a heartbeat. */
            expiresAt: components["schemas"]["Timestamp"];
            /** @description The token for heartbeats and the answer. It is shown only here. */
            token: string;
            /** @description The span that the call is made in, as in W3C Trace Context; only with traces. */
            traceparent?: string;
            /** @description Sent along with `traceparent`. */
            tracestate?: string;
        };
        /** @description A worker asks for calls. */
        WorkerLeaseRequest: {
            /**
             * @description The queue that it serves.
             * @example billing
             */
            queue: string;
            /**
             * @description The worker's name for itself: printable ASCII without spaces.
             * @example billing-7f9c
             */
            workerId: string;
            /** @description How many calls it can take now: the maximum to lease. */
            slots: number;
            /** @description Only calls of these operations; omitted: of any. */
            operations?: string[];
            /** @description How long to wait for a call; omitted: not at all. */
            waitSeconds?: number;
            /** @description After a request whose answer was lost: all calls of the queue that the worker has received and not answered. What else was leased to it, and not kept by a heartbeat, is given to it again, with a new token. One request at a time. */
            held?: components["schemas"]["OperationInvocationId"][];
            /** @description The worker no longer serves the queue: it gets no new calls, its waiting requests are answered, and it is no longer listed. With `held` it gets the calls that it has not received. */
            leaving?: boolean;
        };
        /** @description The signal for a worker. */
        WorkerLeases: {
            lease: components["schemas"]["WorkerLease"];
            /** @description Further calls, as `slots` allows. */
            more: components["schemas"]["WorkerLease"][];
        };
        WorkerLeasesAnswer: {
            data: components["schemas"]["WorkerLeases"];
        };
        /** @description The workers of an Environment, and what waits for them. */
        Workers: {
            queues: {
                /** @example billing */
                queue: string;
                /** @description Workers that serve it. */
                workers: number;
                /** @description Calls that wait. Of an Environment 10,000 are counted at most. */
                waiting: number;
                /** @description Calls that workers have. */
                leased: number;
                /** @description When the call that waits the longest was made. */
                oldestWaitingSince: components["schemas"]["Timestamp"] | null;
            }[];
            workers: {
                /**
                 * @description The worker's name for itself: printable ASCII without spaces.
                 * @example billing-7f9c
                 */
                workerId: string;
                /** @example billing */
                queue: string;
                /** @description null: all of the queue. */
                operations: string[] | null;
                /** @description The number of calls that it last requested. */
                slots: number;
                /** @description Calls that it has. */
                leased: number;
                /** @description The time of its last request. */
                lastSeenAt: components["schemas"]["Timestamp"];
            }[];
        };
        WorkersAnswer: {
            data: components["schemas"]["Workers"];
        };
        /** @description The compensation of the step, since the run failed or was canceled. */
        WorkflowCompensation: {
            /** @example payments.refund */
            operation: string;
            /** @enum {string} */
            state: "pending" | "running" | "waiting_approval" | "succeeded" | "failed" | "unknown";
            /** @description Attempts; each is an invocation of the operation. */
            attempts: number;
            error: {
                code: string;
                message: string;
            } | null;
            startedAt: components["schemas"]["Timestamp"] | null;
            endedAt: components["schemas"]["Timestamp"] | null;
        };
        /** @description A workflow run has completed. */
        WorkflowCompletedEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "workflow.completed";
            /** @description When the change was made. */
            timestamp: components["schemas"]["Timestamp"];
            /** @description 1, 2, 3 … for each Environment, without gaps. */
            sequence: number;
            organizationId: components["schemas"]["OrganizationId"];
            projectId: components["schemas"]["ProjectId"];
            environmentId: components["schemas"]["EnvironmentId"];
            /** @description The subject of the event. */
            subject: {
                /** @enum {string} */
                type: "agentRun" | "deployment" | "environment" | "operationInvocation" | "operationApproval" | "entity" | "systemAgent" | "workflowRun" | "agentJob" | "webhook" | "organization" | "alertRule";
                /** @description Its id. */
                id: string;
            };
            /** @description Who caused the event. */
            actor: {
                /** @enum {string} */
                type: "user" | "apiKey" | "system" | "runner" | "agentJob" | "workflow";
                /** @description Its id. */
                id: string;
            };
            data: {
                workflowRunId: components["schemas"]["WorkflowRunId"];
                agentId: components["schemas"]["AgentId"];
                definitionId: components["schemas"]["DefinitionId"];
                deploymentId: components["schemas"]["DeploymentId"] | null;
                /** @enum {string|null} */
                from: "running" | "waiting" | "unknown" | "canceling" | "completed" | "failed" | "canceled" | null;
                /** @constant */
                to: "completed";
            };
        };
        /** @description A comparison of two values as text, a placeholder alone, or a tree of operators: `and`, `or`, `!`, `==`, `!=`, `<`, `<=`, `>`, `>=`, `in` (an item of a list, a part of a text). Values are placeholders, texts, numbers, `true`, `false`, `null` and lists of these. `false`, `null`, 0, an empty text and an empty list are not true; only two numbers or two texts have an order. At most 100 operators and operands, 10 operators deep; the values that it looks at may have 262,144 characters as JSON. */
        WorkflowCondition: string | {
            [key: string]: unknown;
        };
        /** @description A step for one item of a list. */
        WorkflowElement: {
            index: number;
            /** @enum {string} */
            state: "pending" | "running" | "waiting_approval" | "waiting" | "succeeded" | "failed" | "unknown" | "skipped" | "canceled";
            attempts: number;
            error: {
                code: string;
                message: string;
            } | null;
            childWorkflowRunId: components["schemas"]["WorkflowRunId"] | null;
        };
        /** @description An event that was accepted. */
        WorkflowEvent: {
            id: components["schemas"]["WorkflowEventId"];
            event: string;
            correlation: string;
            createdAt: components["schemas"]["Timestamp"];
        };
        WorkflowEventAnswer: {
            data: components["schemas"]["WorkflowEvent"];
        };
        /**
         * @description The id of one `WorkflowEvent`: `wev_…`
         * @example wev_01h455vb4pex5vsknk084sn02q
         */
        WorkflowEventId: string;
        /** @description A workflow run has failed. */
        WorkflowFailedEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "workflow.failed";
            /** @description When the change was made. */
            timestamp: components["schemas"]["Timestamp"];
            /** @description 1, 2, 3 … for each Environment, without gaps. */
            sequence: number;
            organizationId: components["schemas"]["OrganizationId"];
            projectId: components["schemas"]["ProjectId"];
            environmentId: components["schemas"]["EnvironmentId"];
            /** @description The subject of the event. */
            subject: {
                /** @enum {string} */
                type: "agentRun" | "deployment" | "environment" | "operationInvocation" | "operationApproval" | "entity" | "systemAgent" | "workflowRun" | "agentJob" | "webhook" | "organization" | "alertRule";
                /** @description Its id. */
                id: string;
            };
            /** @description Who caused the event. */
            actor: {
                /** @enum {string} */
                type: "user" | "apiKey" | "system" | "runner" | "agentJob" | "workflow";
                /** @description Its id. */
                id: string;
            };
            data: {
                workflowRunId: components["schemas"]["WorkflowRunId"];
                agentId: components["schemas"]["AgentId"];
                definitionId: components["schemas"]["DefinitionId"];
                deploymentId: components["schemas"]["DeploymentId"] | null;
                /** @enum {string|null} */
                from: "running" | "waiting" | "unknown" | "canceling" | "completed" | "failed" | "canceled" | null;
                /** @constant */
                to: "failed";
            };
        };
        /** @description One run of a workflow. */
        WorkflowRun: {
            workflowRunId: components["schemas"]["WorkflowRunId"];
            environmentId: components["schemas"]["EnvironmentId"];
            /** @description The Deployment that was active at the start, used for the whole run. */
            deploymentId: components["schemas"]["DeploymentId"];
            agentId: components["schemas"]["AgentId"];
            definitionId: components["schemas"]["DefinitionId"];
            definitionRevisionId: components["schemas"]["DefinitionRevisionId"];
            /**
             * @description The state of its statechart: `GET /api/v1/machines/workflow-run`.
             * @enum {string}
             */
            state: "running" | "waiting" | "unknown" | "canceling" | "completed" | "failed" | "canceled";
            requestKey: string | null;
            actorUserId: string | null;
            createdBy: {
                /** @enum {string} */
                type: "user" | "apiKey" | "workflow" | "agentJob" | "system";
                id: string;
            };
            /** @description The job that started it. */
            agentJobId: components["schemas"]["AgentJobId"] | null;
            /** @description The run of an Agent that it is a tool call of. */
            agentRunId: components["schemas"]["AgentRunId"] | null;
            /** @description That call. */
            toolCallId: string | null;
            /** @description The run that it is a step of. */
            parentWorkflowRunId: components["schemas"]["WorkflowRunId"] | null;
            createdAt: components["schemas"]["Timestamp"];
            updatedAt: components["schemas"]["Timestamp"];
            endedAt: components["schemas"]["Timestamp"] | null;
            params: {
                [key: string]: unknown;
            };
            /** @description The output of the workflow; null until the run is completed. */
            output: unknown;
            steps: components["schemas"]["WorkflowStep"][];
        };
        WorkflowRunAnswer: {
            data: components["schemas"]["WorkflowRun"];
        };
        /**
         * @description The id of one `WorkflowRun`: `wfr_…`
         * @example wfr_01h455vb4pex5vsknk084sn02q
         */
        WorkflowRunId: string;
        /** @description A workflow run without its params and outputs. */
        WorkflowRunSummary: {
            workflowRunId: components["schemas"]["WorkflowRunId"];
            environmentId: components["schemas"]["EnvironmentId"];
            /** @description The Deployment that was active at the start, used for the whole run. */
            deploymentId: components["schemas"]["DeploymentId"];
            agentId: components["schemas"]["AgentId"];
            definitionId: components["schemas"]["DefinitionId"];
            definitionRevisionId: components["schemas"]["DefinitionRevisionId"];
            /**
             * @description The state of its statechart: `GET /api/v1/machines/workflow-run`.
             * @enum {string}
             */
            state: "running" | "waiting" | "unknown" | "canceling" | "completed" | "failed" | "canceled";
            requestKey: string | null;
            actorUserId: string | null;
            createdBy: {
                /** @enum {string} */
                type: "user" | "apiKey" | "workflow" | "agentJob" | "system";
                id: string;
            };
            /** @description The job that started it. */
            agentJobId: components["schemas"]["AgentJobId"] | null;
            /** @description The run of an Agent that it is a tool call of. */
            agentRunId: components["schemas"]["AgentRunId"] | null;
            /** @description That call. */
            toolCallId: string | null;
            /** @description The run that it is a step of. */
            parentWorkflowRunId: components["schemas"]["WorkflowRunId"] | null;
            createdAt: components["schemas"]["Timestamp"];
            updatedAt: components["schemas"]["Timestamp"];
            endedAt: components["schemas"]["Timestamp"] | null;
        };
        WorkflowRunSummaryPage: {
            data: {
                items: components["schemas"]["WorkflowRunSummary"][];
            };
            pagination: components["schemas"]["Pagination"];
        };
        /** @description The source of a Definition of kind `workflow`: steps without cycles. */
        WorkflowSource: {
            /** @description The purpose of the workflow, for the model of an Agent that has it as a tool. */
            description?: string;
            /** @description The params of a run: an object. JSON Schema, draft 2020-12 unless `$schema` says. */
            params: {
                [key: string]: unknown;
            };
            /** @description Each runs as soon as the steps that it waits for are done. One whose condition (`when`) does not hold is `skipped`, and the steps after it run and see null. */
            steps: {
                /**
                 * @description Unique in the workflow.
                 * @example find-order
                 */
                id: string;
                /**
                 * @description `<definition>.<operation>`. A step has exactly one of `operation`, `workflow`, `sleep` and `waitFor`.
                 * @example orders.find
                 */
                operation?: string;
                /**
                 * @description The name of a workflow of the Release, which the step runs: `input` are its params, its output is that of the step.
                 * @example refund-order
                 */
                workflow?: string;
                /**
                 * @description The step does nothing and succeeds after this many milliseconds, at most 365 days.
                 * @example 86400000
                 */
                sleep?: number;
                /** @description The step waits for an event (`POST {P}/workflow-events`) with this name and correlation, also one that came within the last 24 hours and that no other step was given. Its output is the event's `data`. */
                waitFor?: {
                    /**
                     * @description The name of the event.
                     * @example payment.received
                     */
                    event: string;
                    /**
                     * @description Which of these events it waits for, with placeholders: at most 256 characters when they are filled in.
                     * @example {{params.order}}
                     */
                    correlation: string;
                    /** @description The step fails with `wait_timed_out` if none has come after this many milliseconds, at most 365 days. */
                    timeoutMs: number;
                };
                when?: components["schemas"]["WorkflowCondition"];
                /**
                 * @description A placeholder of a list of at most 1,000 items: the step is done for each of them, with `{{item}}` and `{{index}}` in its `input`. Its output is the list of outputs; one item that fails, after its own `retry`, fails the step.
                 * @example {{params.orders}}
                 */
                forEach?: string;
                /** @description For how many items of `forEach` at once; default: 10. */
                concurrency?: number;
                /** @description With `{{params.x}}` and `{{steps.id.output.y}}` for values. */
                input?: {
                    [key: string]: unknown;
                };
                /** @description Steps to wait for, besides those whose output it uses. */
                after?: string[];
                retry?: {
                    /** @description The first one included. */
                    maxAttempts: number;
                    /** @description Between two attempts. */
                    backoffMs: number;
                };
                /**
                 * @description Default: `fail`.
                 * @enum {string}
                 */
                onError?: "fail" | "continue";
                /** @description The operation that takes the step back if the run fails or is canceled. Once nothing is open, the steps that have succeeded are compensated in reverse order of their completion, one at a time, with the `retry` of the step; one that fails stops no other. Only for a step with an `operation`. */
                compensate?: {
                    /**
                     * @description `<definition>.<operation>`
                     * @example orders.release
                     */
                    operation: string;
                    /** @description With placeholders as in the input of a step, also for the output of this step. */
                    input?: {
                        [key: string]: unknown;
                    };
                };
            }[];
            /** @description Its output, with placeholders as in the input of a step. */
            output?: {
                [key: string]: unknown;
            };
        };
        /** @description A step of a run, in the order of the definition. */
        WorkflowStep: {
            /** @example charge-card */
            stepId: string;
            /**
             * @description null: the step runs a workflow, sleeps, or waits for an event instead.
             * @example payments.charge
             */
            operation: string | null;
            /** @enum {string} */
            state: "pending" | "running" | "waiting_approval" | "waiting" | "succeeded" | "failed" | "unknown" | "skipped" | "canceled";
            /** @description Why the step is `skipped` or `canceled`: its `when` does not hold (`condition_false`), a step that it depends on has failed (`dependency_failed`), or the run has failed or was canceled before the step had ended. */
            stateReason: {
                /** @enum {string} */
                code: "condition_false" | "dependency_failed" | "run_failed" | "run_canceled";
                message: string;
            } | null;
            /** @description Attempts; each is an invocation of the operation. */
            attempts: number;
            /** @description The output of the operation; null until the step has succeeded. */
            output: unknown;
            error: {
                code: string;
                message: string;
            } | null;
            startedAt: components["schemas"]["Timestamp"] | null;
            endedAt: components["schemas"]["Timestamp"] | null;
            /** @description When its wait ends, while it is `waiting`. */
            waitsUntil: components["schemas"]["Timestamp"] | null;
            compensation: components["schemas"]["WorkflowCompensation"] | null;
            /** @description One for each item of `forEach`, once they are known. */
            elements: components["schemas"]["WorkflowElement"][] | null;
            /**
             * @description The workflow that it runs.
             * @example refund-order
             */
            workflow: string | null;
            /** @description The run of that workflow, of its last attempt. */
            childWorkflowRunId: components["schemas"]["WorkflowRunId"] | null;
            /** @description The event that it waits for, or waited for. */
            waitsFor: {
                event: string;
                correlation: string;
            } | null;
        };
        /** @description A step of a workflow run has an unknown outcome, which must be resolved. */
        WorkflowUnknownEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "workflow.unknown";
            /** @description When the change was made. */
            timestamp: components["schemas"]["Timestamp"];
            /** @description 1, 2, 3 … for each Environment, without gaps. */
            sequence: number;
            organizationId: components["schemas"]["OrganizationId"];
            projectId: components["schemas"]["ProjectId"];
            environmentId: components["schemas"]["EnvironmentId"];
            /** @description The subject of the event. */
            subject: {
                /** @enum {string} */
                type: "agentRun" | "deployment" | "environment" | "operationInvocation" | "operationApproval" | "entity" | "systemAgent" | "workflowRun" | "agentJob" | "webhook" | "organization" | "alertRule";
                /** @description Its id. */
                id: string;
            };
            /** @description Who caused the event. */
            actor: {
                /** @enum {string} */
                type: "user" | "apiKey" | "system" | "runner" | "agentJob" | "workflow";
                /** @description Its id. */
                id: string;
            };
            data: {
                workflowRunId: components["schemas"]["WorkflowRunId"];
                agentId: components["schemas"]["AgentId"];
                definitionId: components["schemas"]["DefinitionId"];
                deploymentId: components["schemas"]["DeploymentId"] | null;
                /** @enum {string|null} */
                from: "running" | "waiting" | "unknown" | "canceling" | "completed" | "failed" | "canceled" | null;
                /** @constant */
                to: "unknown";
            };
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type ErrorCode = components['schemas']['ErrorCode'];
export type PublicApiError = components['schemas']['PublicApiError'];
export type AcceptedEvents = components['schemas']['AcceptedEvents'];
export type AcceptedEventsAnswer = components['schemas']['AcceptedEventsAnswer'];
export type AccessGrant = components['schemas']['AccessGrant'];
export type AccessGrantAnswer = components['schemas']['AccessGrantAnswer'];
export type AccessGrantId = components['schemas']['AccessGrantId'];
export type AccessGrantPage = components['schemas']['AccessGrantPage'];
export type AccountAddress = components['schemas']['AccountAddress'];
export type AccountAddressAnswer = components['schemas']['AccountAddressAnswer'];
export type Activation = components['schemas']['Activation'];
export type ActivationAnswer = components['schemas']['ActivationAnswer'];
export type ActivationChangedEvent = components['schemas']['ActivationChangedEvent'];
export type ActivationId = components['schemas']['ActivationId'];
export type ActivationPage = components['schemas']['ActivationPage'];
export type Actor = components['schemas']['Actor'];
export type ActorAnswer = components['schemas']['ActorAnswer'];
export type ActorEvent = components['schemas']['ActorEvent'];
export type ActorSimulationRequest = components['schemas']['ActorSimulationRequest'];
export type ActorSummary = components['schemas']['ActorSummary'];
export type ActorSummaryPage = components['schemas']['ActorSummaryPage'];
export type ActorVerification = components['schemas']['ActorVerification'];
export type ActorVerificationAnswer = components['schemas']['ActorVerificationAnswer'];
export type Agent = components['schemas']['Agent'];
export type AgentAnswer = components['schemas']['AgentAnswer'];
export type AgentChange = components['schemas']['AgentChange'];
export type AgentChanges = components['schemas']['AgentChanges'];
export type AgentContent = components['schemas']['AgentContent'];
export type AgentDelegate = components['schemas']['AgentDelegate'];
export type AgentId = components['schemas']['AgentId'];
export type AgentJob = components['schemas']['AgentJob'];
export type AgentJobAnswer = components['schemas']['AgentJobAnswer'];
export type AgentJobChanges = components['schemas']['AgentJobChanges'];
export type AgentJobFiring = components['schemas']['AgentJobFiring'];
export type AgentJobId = components['schemas']['AgentJobId'];
export type AgentJobPage = components['schemas']['AgentJobPage'];
export type AgentJobRun = components['schemas']['AgentJobRun'];
export type AgentJobRunAnswer = components['schemas']['AgentJobRunAnswer'];
export type AgentPage = components['schemas']['AgentPage'];
export type AgentPin = components['schemas']['AgentPin'];
export type AgentPresentation = components['schemas']['AgentPresentation'];
export type AgentPresentationAnswer = components['schemas']['AgentPresentationAnswer'];
export type AgentRevision = components['schemas']['AgentRevision'];
export type AgentRevisionAnswer = components['schemas']['AgentRevisionAnswer'];
export type AgentRevisionId = components['schemas']['AgentRevisionId'];
export type AgentRevisionPage = components['schemas']['AgentRevisionPage'];
export type AgentRevisionPreview = components['schemas']['AgentRevisionPreview'];
export type AgentRevisionPreviewAnswer = components['schemas']['AgentRevisionPreviewAnswer'];
export type AgentRun = components['schemas']['AgentRun'];
export type AgentRunAnswer = components['schemas']['AgentRunAnswer'];
export type AgentRunChangesEvent = components['schemas']['AgentRunChangesEvent'];
export type AgentRunContinuation = components['schemas']['AgentRunContinuation'];
export type AgentRunEvent = components['schemas']['AgentRunEvent'];
export type AgentRunId = components['schemas']['AgentRunId'];
export type AgentRunPage = components['schemas']['AgentRunPage'];
export type AgentRunState = components['schemas']['AgentRunState'];
export type AgentRunStatistics = components['schemas']['AgentRunStatistics'];
export type AgentRunStatisticsAnswer = components['schemas']['AgentRunStatisticsAnswer'];
export type AgentRunSummary = components['schemas']['AgentRunSummary'];
export type AgentStep = components['schemas']['AgentStep'];
export type AgentStepAnswer = components['schemas']['AgentStepAnswer'];
export type AgentStepEnd = components['schemas']['AgentStepEnd'];
export type AgentStepPage = components['schemas']['AgentStepPage'];
export type AgentTool = components['schemas']['AgentTool'];
export type AlertCondition = components['schemas']['AlertCondition'];
export type AlertFiringEvent = components['schemas']['AlertFiringEvent'];
export type AlertIncident = components['schemas']['AlertIncident'];
export type AlertIncidentId = components['schemas']['AlertIncidentId'];
export type AlertIncidentPage = components['schemas']['AlertIncidentPage'];
export type AlertResolvedEvent = components['schemas']['AlertResolvedEvent'];
export type AlertRule = components['schemas']['AlertRule'];
export type AlertRuleAnswer = components['schemas']['AlertRuleAnswer'];
export type AlertRuleChanges = components['schemas']['AlertRuleChanges'];
export type AlertRuleId = components['schemas']['AlertRuleId'];
export type AlertRuleNow = components['schemas']['AlertRuleNow'];
export type AlertRuleNowAnswer = components['schemas']['AlertRuleNowAnswer'];
export type AlertRulePage = components['schemas']['AlertRulePage'];
export type AlertTest = components['schemas']['AlertTest'];
export type AlertTestAnswer = components['schemas']['AlertTestAnswer'];
export type Alive = components['schemas']['Alive'];
export type ApiKey = components['schemas']['ApiKey'];
export type ApiKeyAnswer = components['schemas']['ApiKeyAnswer'];
export type ApiKeyChanges = components['schemas']['ApiKeyChanges'];
export type ApiKeyId = components['schemas']['ApiKeyId'];
export type ApiKeyPage = components['schemas']['ApiKeyPage'];
export type ApiKeyRotation = components['schemas']['ApiKeyRotation'];
export type ApiKeyWarning = components['schemas']['ApiKeyWarning'];
export type Apply = components['schemas']['Apply'];
export type ApplyAnswer = components['schemas']['ApplyAnswer'];
export type ApplyId = components['schemas']['ApplyId'];
export type ApplyPage = components['schemas']['ApplyPage'];
export type ApplyPlan = components['schemas']['ApplyPlan'];
export type ApplyPlanAnswer = components['schemas']['ApplyPlanAnswer'];
export type ApprovalRequest = components['schemas']['ApprovalRequest'];
export type ApprovalRequestAnswer = components['schemas']['ApprovalRequestAnswer'];
export type AttemptEvents = components['schemas']['AttemptEvents'];
export type AttemptId = components['schemas']['AttemptId'];
export type AttemptModelCall = components['schemas']['AttemptModelCall'];
export type AttemptModelLine = components['schemas']['AttemptModelLine'];
export type AttemptOperationCall = components['schemas']['AttemptOperationCall'];
export type AttemptOperationOutcome = components['schemas']['AttemptOperationOutcome'];
export type AttemptOperationOutcomeAnswer = components['schemas']['AttemptOperationOutcomeAnswer'];
export type AttemptReport = components['schemas']['AttemptReport'];
export type AuditEvent = components['schemas']['AuditEvent'];
export type AuditEventId = components['schemas']['AuditEventId'];
export type AuditEventPage = components['schemas']['AuditEventPage'];
export type Baseline = components['schemas']['Baseline'];
export type BillingPeriod = components['schemas']['BillingPeriod'];
export type BillingRedirect = components['schemas']['BillingRedirect'];
export type BillingRedirectAnswer = components['schemas']['BillingRedirectAnswer'];
export type BindingHealth = components['schemas']['BindingHealth'];
export type BindingHealthList = components['schemas']['BindingHealthList'];
export type BudgetExhaustedEvent = components['schemas']['BudgetExhaustedEvent'];
export type BudgetWarningEvent = components['schemas']['BudgetWarningEvent'];
export type BulkAction = components['schemas']['BulkAction'];
export type BulkActionAnswer = components['schemas']['BulkActionAnswer'];
export type BulkActionFailure = components['schemas']['BulkActionFailure'];
export type BulkActionFilter = components['schemas']['BulkActionFilter'];
export type BulkActionId = components['schemas']['BulkActionId'];
export type Checkout = components['schemas']['Checkout'];
export type Checkpoint = components['schemas']['Checkpoint'];
export type CheckpointAnswer = components['schemas']['CheckpointAnswer'];
export type CheckpointPage = components['schemas']['CheckpointPage'];
export type ConfigurationRevision = components['schemas']['ConfigurationRevision'];
export type ConfigurationRevisionAnswer = components['schemas']['ConfigurationRevisionAnswer'];
export type ConfigurationRevisionId = components['schemas']['ConfigurationRevisionId'];
export type ConfigurationRevisionPage = components['schemas']['ConfigurationRevisionPage'];
export type Connection = components['schemas']['Connection'];
export type ConnectionAnswer = components['schemas']['ConnectionAnswer'];
export type ConnectionChange = components['schemas']['ConnectionChange'];
export type ConnectionChanges = components['schemas']['ConnectionChanges'];
export type ConnectionId = components['schemas']['ConnectionId'];
export type ConnectionOfCall = components['schemas']['ConnectionOfCall'];
export type ConnectionPage = components['schemas']['ConnectionPage'];
export type ConnectionPreset = components['schemas']['ConnectionPreset'];
export type ConnectionPresetAnswer = components['schemas']['ConnectionPresetAnswer'];
export type ConnectionPresetList = components['schemas']['ConnectionPresetList'];
export type ConnectionVersionId = components['schemas']['ConnectionVersionId'];
export type ContentItem = components['schemas']['ContentItem'];
export type ConversationMessage = components['schemas']['ConversationMessage'];
export type Cost = components['schemas']['Cost'];
export type CostShare = components['schemas']['CostShare'];
export type CreatedApiKey = components['schemas']['CreatedApiKey'];
export type CreatedApiKeyAnswer = components['schemas']['CreatedApiKeyAnswer'];
export type CreatedRunnerToken = components['schemas']['CreatedRunnerToken'];
export type CreatedRunnerTokenAnswer = components['schemas']['CreatedRunnerTokenAnswer'];
export type CustomSettings = components['schemas']['CustomSettings'];
export type DatabaseSettings = components['schemas']['DatabaseSettings'];
export type Decision = components['schemas']['Decision'];
export type Definition = components['schemas']['Definition'];
export type DefinitionAnswer = components['schemas']['DefinitionAnswer'];
export type DefinitionChange = components['schemas']['DefinitionChange'];
export type DefinitionChanges = components['schemas']['DefinitionChanges'];
export type DefinitionId = components['schemas']['DefinitionId'];
export type DefinitionPage = components['schemas']['DefinitionPage'];
export type DefinitionPin = components['schemas']['DefinitionPin'];
export type DefinitionRevision = components['schemas']['DefinitionRevision'];
export type DefinitionRevisionAnswer = components['schemas']['DefinitionRevisionAnswer'];
export type DefinitionRevisionId = components['schemas']['DefinitionRevisionId'];
export type DefinitionRevisionPage = components['schemas']['DefinitionRevisionPage'];
export type DefinitionRevisionPreview = components['schemas']['DefinitionRevisionPreview'];
export type DefinitionRevisionPreviewAnswer = components['schemas']['DefinitionRevisionPreviewAnswer'];
export type DelegateAttachment = components['schemas']['DelegateAttachment'];
export type DelegateResult = components['schemas']['DelegateResult'];
export type DeletionProgress = components['schemas']['DeletionProgress'];
export type DeliveryAttempt = components['schemas']['DeliveryAttempt'];
export type DeployedTools = components['schemas']['DeployedTools'];
export type DeployedToolsAnswer = components['schemas']['DeployedToolsAnswer'];
export type Deployment = components['schemas']['Deployment'];
export type DeploymentAnswer = components['schemas']['DeploymentAnswer'];
export type DeploymentCanceledEvent = components['schemas']['DeploymentCanceledEvent'];
export type DeploymentDiff = components['schemas']['DeploymentDiff'];
export type DeploymentDiffAnswer = components['schemas']['DeploymentDiffAnswer'];
export type DeploymentFailedEvent = components['schemas']['DeploymentFailedEvent'];
export type DeploymentId = components['schemas']['DeploymentId'];
export type DeploymentMaterializingEvent = components['schemas']['DeploymentMaterializingEvent'];
export type DeploymentPage = components['schemas']['DeploymentPage'];
export type DeploymentProvisioningEvent = components['schemas']['DeploymentProvisioningEvent'];
export type DeploymentQueuedEvent = components['schemas']['DeploymentQueuedEvent'];
export type DeploymentReadyEvent = components['schemas']['DeploymentReadyEvent'];
export type DeploymentValidatingEvent = components['schemas']['DeploymentValidatingEvent'];
export type DeviceApproval = components['schemas']['DeviceApproval'];
export type DeviceAuthorization = components['schemas']['DeviceAuthorization'];
export type DeviceAuthorizationAnswer = components['schemas']['DeviceAuthorizationAnswer'];
export type DeviceCode = components['schemas']['DeviceCode'];
export type Difference = components['schemas']['Difference'];
export type DomainEntityCreatedEvent = components['schemas']['DomainEntityCreatedEvent'];
export type DomainEntityDeletedEvent = components['schemas']['DomainEntityDeletedEvent'];
export type DomainEntityTransitionedEvent = components['schemas']['DomainEntityTransitionedEvent'];
export type DomainEntityUpdatedEvent = components['schemas']['DomainEntityUpdatedEvent'];
export type EmbedTicket = components['schemas']['EmbedTicket'];
export type EmbedTicketAnswer = components['schemas']['EmbedTicketAnswer'];
export type EmbeddedActorEvent = components['schemas']['EmbeddedActorEvent'];
export type Entity = components['schemas']['Entity'];
export type EntityAnswer = components['schemas']['EntityAnswer'];
export type EntityId = components['schemas']['EntityId'];
export type EntityPage = components['schemas']['EntityPage'];
export type EntitySource = components['schemas']['EntitySource'];
export type Environment = components['schemas']['Environment'];
export type EnvironmentAnswer = components['schemas']['EnvironmentAnswer'];
export type EnvironmentChanges = components['schemas']['EnvironmentChanges'];
export type EnvironmentDeadLetters = components['schemas']['EnvironmentDeadLetters'];
export type EnvironmentId = components['schemas']['EnvironmentId'];
export type EnvironmentPage = components['schemas']['EnvironmentPage'];
export type Event = components['schemas']['Event'];
export type EventId = components['schemas']['EventId'];
export type EventKind = components['schemas']['EventKind'];
export type EventPreview = components['schemas']['EventPreview'];
export type EventPreviewResult = components['schemas']['EventPreviewResult'];
export type EventPreviewResultAnswer = components['schemas']['EventPreviewResultAnswer'];
export type EventType = components['schemas']['EventType'];
export type EventTypeList = components['schemas']['EventTypeList'];
export type EventsPage = components['schemas']['EventsPage'];
export type Failure = components['schemas']['Failure'];
export type Heartbeat = components['schemas']['Heartbeat'];
export type HistoryMessage = components['schemas']['HistoryMessage'];
export type HistoryPagination = components['schemas']['HistoryPagination'];
export type HttpSettings = components['schemas']['HttpSettings'];
export type Import = components['schemas']['Import'];
export type ImportAnswer = components['schemas']['ImportAnswer'];
export type InboxItem = components['schemas']['InboxItem'];
export type InboxKind = components['schemas']['InboxKind'];
export type InboxPage = components['schemas']['InboxPage'];
export type Integration = components['schemas']['Integration'];
export type IntegrationAnswer = components['schemas']['IntegrationAnswer'];
export type IntegrationChanges = components['schemas']['IntegrationChanges'];
export type IntegrationId = components['schemas']['IntegrationId'];
export type IntegrationList = components['schemas']['IntegrationList'];
export type IntegrationVerification = components['schemas']['IntegrationVerification'];
export type IntegrationVerificationAnswer = components['schemas']['IntegrationVerificationAnswer'];
export type IntegrationVersionId = components['schemas']['IntegrationVersionId'];
export type Invitation = components['schemas']['Invitation'];
export type InvitationAcceptance = components['schemas']['InvitationAcceptance'];
export type InvitationId = components['schemas']['InvitationId'];
export type InvitationPage = components['schemas']['InvitationPage'];
export type InvitationToken = components['schemas']['InvitationToken'];
export type InvitedMember = components['schemas']['InvitedMember'];
export type InvitedMemberAnswer = components['schemas']['InvitedMemberAnswer'];
export type InvocationResolution = components['schemas']['InvocationResolution'];
export type JobFailedEvent = components['schemas']['JobFailedEvent'];
export type JobMissedEvent = components['schemas']['JobMissedEvent'];
export type LatestCheckpoint = components['schemas']['LatestCheckpoint'];
export type LatestCheckpointAnswer = components['schemas']['LatestCheckpointAnswer'];
export type LeaseRequest = components['schemas']['LeaseRequest'];
export type LeasedAttempt = components['schemas']['LeasedAttempt'];
export type LeasedAttemptAnswer = components['schemas']['LeasedAttemptAnswer'];
export type Machine = components['schemas']['Machine'];
export type MachineAnswer = components['schemas']['MachineAnswer'];
export type MachinePopulation = components['schemas']['MachinePopulation'];
export type MachinePopulationAnswer = components['schemas']['MachinePopulationAnswer'];
export type MachineSimulationRequest = components['schemas']['MachineSimulationRequest'];
export type MachineSummary = components['schemas']['MachineSummary'];
export type MachineSummaryList = components['schemas']['MachineSummaryList'];
export type Manifest = components['schemas']['Manifest'];
export type ManifestAnswer = components['schemas']['ManifestAnswer'];
export type McpToolList = components['schemas']['McpToolList'];
export type McpToolListAnswer = components['schemas']['McpToolListAnswer'];
export type Member = components['schemas']['Member'];
export type MemberAnswer = components['schemas']['MemberAnswer'];
export type MemberChanges = components['schemas']['MemberChanges'];
export type MemberPage = components['schemas']['MemberPage'];
export type MessagingSettings = components['schemas']['MessagingSettings'];
export type NamedResource = components['schemas']['NamedResource'];
export type NamedResourceList = components['schemas']['NamedResourceList'];
export type NewAccessGrant = components['schemas']['NewAccessGrant'];
export type NewActivation = components['schemas']['NewActivation'];
export type NewAgent = components['schemas']['NewAgent'];
export type NewAgentJob = components['schemas']['NewAgentJob'];
export type NewAgentRevision = components['schemas']['NewAgentRevision'];
export type NewAgentRun = components['schemas']['NewAgentRun'];
export type NewAgentRunFork = components['schemas']['NewAgentRunFork'];
export type NewAgentRunWithFiles = components['schemas']['NewAgentRunWithFiles'];
export type NewAgentStep = components['schemas']['NewAgentStep'];
export type NewAlertRule = components['schemas']['NewAlertRule'];
export type NewApiKey = components['schemas']['NewApiKey'];
export type NewApply = components['schemas']['NewApply'];
export type NewBulkAction = components['schemas']['NewBulkAction'];
export type NewCheckpoint = components['schemas']['NewCheckpoint'];
export type NewConfigurationRevision = components['schemas']['NewConfigurationRevision'];
export type NewConnection = components['schemas']['NewConnection'];
export type NewDefinition = components['schemas']['NewDefinition'];
export type NewDefinitionRevision = components['schemas']['NewDefinitionRevision'];
export type NewDeployment = components['schemas']['NewDeployment'];
export type NewDeviceAuthorization = components['schemas']['NewDeviceAuthorization'];
export type NewEmbedTicket = components['schemas']['NewEmbedTicket'];
export type NewImport = components['schemas']['NewImport'];
export type NewIntegration = components['schemas']['NewIntegration'];
export type NewInvitation = components['schemas']['NewInvitation'];
export type NewMember = components['schemas']['NewMember'];
export type NewOperationInvocation = components['schemas']['NewOperationInvocation'];
export type NewOrganization = components['schemas']['NewOrganization'];
export type NewOrganizationVariable = components['schemas']['NewOrganizationVariable'];
export type NewProject = components['schemas']['NewProject'];
export type NewPromotion = components['schemas']['NewPromotion'];
export type NewProviderCredential = components['schemas']['NewProviderCredential'];
export type NewProviderCredentialVersion = components['schemas']['NewProviderCredentialVersion'];
export type NewProviderSetting = components['schemas']['NewProviderSetting'];
export type NewRelease = components['schemas']['NewRelease'];
export type NewRollback = components['schemas']['NewRollback'];
export type NewRunnerPool = components['schemas']['NewRunnerPool'];
export type NewRunnerToken = components['schemas']['NewRunnerToken'];
export type NewToolCall = components['schemas']['NewToolCall'];
export type NewUserGroupMember = components['schemas']['NewUserGroupMember'];
export type NewVariable = components['schemas']['NewVariable'];
export type NewWebhook = components['schemas']['NewWebhook'];
export type NewWebhookRecovery = components['schemas']['NewWebhookRecovery'];
export type NewWorkflowEvent = components['schemas']['NewWorkflowEvent'];
export type NewWorkflowRun = components['schemas']['NewWorkflowRun'];
export type ObjectStorageSettings = components['schemas']['ObjectStorageSettings'];
export type Operation = components['schemas']['Operation'];
export type OperationApproval = components['schemas']['OperationApproval'];
export type OperationApprovalAnswer = components['schemas']['OperationApprovalAnswer'];
export type OperationApprovalId = components['schemas']['OperationApprovalId'];
export type OperationApprovalPage = components['schemas']['OperationApprovalPage'];
export type OperationApprovalStatusChangedEvent = components['schemas']['OperationApprovalStatusChangedEvent'];
export type OperationHandler = components['schemas']['OperationHandler'];
export type OperationInvocation = components['schemas']['OperationInvocation'];
export type OperationInvocationAnswer = components['schemas']['OperationInvocationAnswer'];
export type OperationInvocationId = components['schemas']['OperationInvocationId'];
export type OperationInvocationPage = components['schemas']['OperationInvocationPage'];
export type OperationInvocationStatusChangedEvent = components['schemas']['OperationInvocationStatusChangedEvent'];
export type OperationsSource = components['schemas']['OperationsSource'];
export type Organization = components['schemas']['Organization'];
export type OrganizationAnswer = components['schemas']['OrganizationAnswer'];
export type OrganizationChanges = components['schemas']['OrganizationChanges'];
export type OrganizationId = components['schemas']['OrganizationId'];
export type OrganizationPage = components['schemas']['OrganizationPage'];
export type OrganizationVariable = components['schemas']['OrganizationVariable'];
export type OrganizationVariableAnswer = components['schemas']['OrganizationVariableAnswer'];
export type OrganizationVariableChanges = components['schemas']['OrganizationVariableChanges'];
export type OrganizationVariablePage = components['schemas']['OrganizationVariablePage'];
export type OwnPermissions = components['schemas']['OwnPermissions'];
export type OwnPermissionsAnswer = components['schemas']['OwnPermissionsAnswer'];
export type OwnSession = components['schemas']['OwnSession'];
export type OwnSessionPage = components['schemas']['OwnSessionPage'];
export type Pagination = components['schemas']['Pagination'];
export type PasswordChange = components['schemas']['PasswordChange'];
export type PasswordReset = components['schemas']['PasswordReset'];
export type PasswordResetOrder = components['schemas']['PasswordResetOrder'];
export type PasswordResetOrdered = components['schemas']['PasswordResetOrdered'];
export type PasswordResetOrderedAnswer = components['schemas']['PasswordResetOrderedAnswer'];
export type PendingDeviceAuthorization = components['schemas']['PendingDeviceAuthorization'];
export type PendingDeviceAuthorizationAnswer = components['schemas']['PendingDeviceAuthorizationAnswer'];
export type Permission = components['schemas']['Permission'];
export type Plan = components['schemas']['Plan'];
export type PlanChange = components['schemas']['PlanChange'];
export type PlanLimits = components['schemas']['PlanLimits'];
export type PlanList = components['schemas']['PlanList'];
export type PlanRequest = components['schemas']['PlanRequest'];
export type PortalVisit = components['schemas']['PortalVisit'];
export type Process = components['schemas']['Process'];
export type ProcessPage = components['schemas']['ProcessPage'];
export type Project = components['schemas']['Project'];
export type ProjectAnswer = components['schemas']['ProjectAnswer'];
export type ProjectChanges = components['schemas']['ProjectChanges'];
export type ProjectId = components['schemas']['ProjectId'];
export type ProjectPage = components['schemas']['ProjectPage'];
export type ProlongedLease = components['schemas']['ProlongedLease'];
export type ProlongedLeaseAnswer = components['schemas']['ProlongedLeaseAnswer'];
export type ProviderCredential = components['schemas']['ProviderCredential'];
export type ProviderCredentialAnswer = components['schemas']['ProviderCredentialAnswer'];
export type ProviderCredentialChanges = components['schemas']['ProviderCredentialChanges'];
export type ProviderCredentialId = components['schemas']['ProviderCredentialId'];
export type ProviderCredentialList = components['schemas']['ProviderCredentialList'];
export type ProviderCredentialUse = components['schemas']['ProviderCredentialUse'];
export type ProviderCredentialUseList = components['schemas']['ProviderCredentialUseList'];
export type ProviderSetting = components['schemas']['ProviderSetting'];
export type ProviderSettingAnswer = components['schemas']['ProviderSettingAnswer'];
export type ProviderSettingChange = components['schemas']['ProviderSettingChange'];
export type ProviderSettingChanges = components['schemas']['ProviderSettingChanges'];
export type ProviderSettingPage = components['schemas']['ProviderSettingPage'];
export type Readiness = components['schemas']['Readiness'];
export type Rebaseline = components['schemas']['Rebaseline'];
export type RecordedEventKind = components['schemas']['RecordedEventKind'];
export type Release = components['schemas']['Release'];
export type ReleaseAnswer = components['schemas']['ReleaseAnswer'];
export type ReleaseDiff = components['schemas']['ReleaseDiff'];
export type ReleaseDiffAnswer = components['schemas']['ReleaseDiffAnswer'];
export type ReleaseId = components['schemas']['ReleaseId'];
export type ReleasePage = components['schemas']['ReleasePage'];
export type ResourceFound = components['schemas']['ResourceFound'];
export type ResourceFoundAnswer = components['schemas']['ResourceFoundAnswer'];
export type RotatedApiKey = components['schemas']['RotatedApiKey'];
export type RotatedApiKeyAnswer = components['schemas']['RotatedApiKeyAnswer'];
export type RunCanceledEvent = components['schemas']['RunCanceledEvent'];
export type RunCompletedEvent = components['schemas']['RunCompletedEvent'];
export type RunCreatedEvent = components['schemas']['RunCreatedEvent'];
export type RunExpiredEvent = components['schemas']['RunExpiredEvent'];
export type RunFailedEvent = components['schemas']['RunFailedEvent'];
export type RunLimits = components['schemas']['RunLimits'];
export type RunLogEvent = components['schemas']['RunLogEvent'];
export type RunLogLine = components['schemas']['RunLogLine'];
export type RunLogLinePage = components['schemas']['RunLogLinePage'];
export type RunStartedEvent = components['schemas']['RunStartedEvent'];
export type RunTally = components['schemas']['RunTally'];
export type RunTimes = components['schemas']['RunTimes'];
export type RunTransition = components['schemas']['RunTransition'];
export type RunTransitionPage = components['schemas']['RunTransitionPage'];
export type RunWaitingEvent = components['schemas']['RunWaitingEvent'];
export type RunnerPool = components['schemas']['RunnerPool'];
export type RunnerPoolAnswer = components['schemas']['RunnerPoolAnswer'];
export type RunnerPoolChanges = components['schemas']['RunnerPoolChanges'];
export type RunnerPoolId = components['schemas']['RunnerPoolId'];
export type RunnerPoolPage = components['schemas']['RunnerPoolPage'];
export type RunnerToken = components['schemas']['RunnerToken'];
export type RunnerTokenAnswer = components['schemas']['RunnerTokenAnswer'];
export type RunnerTokenId = components['schemas']['RunnerTokenId'];
export type RunnerTokenPage = components['schemas']['RunnerTokenPage'];
export type RunnerTokenRotation = components['schemas']['RunnerTokenRotation'];
export type Session = components['schemas']['Session'];
export type SessionAnswer = components['schemas']['SessionAnswer'];
export type SessionId = components['schemas']['SessionId'];
export type SignIn = components['schemas']['SignIn'];
export type SimulatedStep = components['schemas']['SimulatedStep'];
export type Simulation = components['schemas']['Simulation'];
export type SimulationAnswer = components['schemas']['SimulationAnswer'];
export type SimulationStep = components['schemas']['SimulationStep'];
export type StripeReceipt = components['schemas']['StripeReceipt'];
export type Subscription = components['schemas']['Subscription'];
export type SubscriptionAnswer = components['schemas']['SubscriptionAnswer'];
export type SystemAgent = components['schemas']['SystemAgent'];
export type SystemAgentAnswer = components['schemas']['SystemAgentAnswer'];
export type SystemAgentChanges = components['schemas']['SystemAgentChanges'];
export type SystemAgentPage = components['schemas']['SystemAgentPage'];
export type SystemAgentPolicyChangedEvent = components['schemas']['SystemAgentPolicyChangedEvent'];
export type SystemAgentPublishedEvent = components['schemas']['SystemAgentPublishedEvent'];
export type Template = components['schemas']['Template'];
export type TemplateAgent = components['schemas']['TemplateAgent'];
export type TemplateAnswer = components['schemas']['TemplateAnswer'];
export type TemplateDefinition = components['schemas']['TemplateDefinition'];
export type TemplateId = components['schemas']['TemplateId'];
export type TemplatePage = components['schemas']['TemplatePage'];
export type Timestamp = components['schemas']['Timestamp'];
export type TokenUsage = components['schemas']['TokenUsage'];
export type ToolCall = components['schemas']['ToolCall'];
export type ToolCallAnswer = components['schemas']['ToolCallAnswer'];
export type Transition = components['schemas']['Transition'];
export type TransitionPage = components['schemas']['TransitionPage'];
export type UnknownResolution = components['schemas']['UnknownResolution'];
export type UsageAnswer = components['schemas']['UsageAnswer'];
export type UsageAnswerAnswer = components['schemas']['UsageAnswerAnswer'];
export type UsageShare = components['schemas']['UsageShare'];
export type UserGroup = components['schemas']['UserGroup'];
export type UserGroupAnswer = components['schemas']['UserGroupAnswer'];
export type UserGroupFields = components['schemas']['UserGroupFields'];
export type UserGroupId = components['schemas']['UserGroupId'];
export type UserGroupMember = components['schemas']['UserGroupMember'];
export type UserGroupMemberAnswer = components['schemas']['UserGroupMemberAnswer'];
export type UserGroupMemberPage = components['schemas']['UserGroupMemberPage'];
export type UserGroupPage = components['schemas']['UserGroupPage'];
export type UserId = components['schemas']['UserId'];
export type Variable = components['schemas']['Variable'];
export type VariableAnswer = components['schemas']['VariableAnswer'];
export type VariableChange = components['schemas']['VariableChange'];
export type VariableChanges = components['schemas']['VariableChanges'];
export type VariableId = components['schemas']['VariableId'];
export type VariablePage = components['schemas']['VariablePage'];
export type Webhook = components['schemas']['Webhook'];
export type WebhookAnswer = components['schemas']['WebhookAnswer'];
export type WebhookChanges = components['schemas']['WebhookChanges'];
export type WebhookDelivery = components['schemas']['WebhookDelivery'];
export type WebhookDeliveryAnswer = components['schemas']['WebhookDeliveryAnswer'];
export type WebhookDeliveryId = components['schemas']['WebhookDeliveryId'];
export type WebhookDeliveryPage = components['schemas']['WebhookDeliveryPage'];
export type WebhookDeliveryStatistics = components['schemas']['WebhookDeliveryStatistics'];
export type WebhookDeliveryStatisticsAnswer = components['schemas']['WebhookDeliveryStatisticsAnswer'];
export type WebhookDisabledEvent = components['schemas']['WebhookDisabledEvent'];
export type WebhookId = components['schemas']['WebhookId'];
export type WebhookPage = components['schemas']['WebhookPage'];
export type WebhookRecovery = components['schemas']['WebhookRecovery'];
export type WebhookRecoveryAnswer = components['schemas']['WebhookRecoveryAnswer'];
export type WebhookRecoveryId = components['schemas']['WebhookRecoveryId'];
export type WebhookRecoveryPage = components['schemas']['WebhookRecoveryPage'];
export type WebhookTestEvent = components['schemas']['WebhookTestEvent'];
export type WebhookWithSecret = components['schemas']['WebhookWithSecret'];
export type WebhookWithSecretAnswer = components['schemas']['WebhookWithSecretAnswer'];
export type WorkerAnswer = components['schemas']['WorkerAnswer'];
export type WorkerAnswerTaken = components['schemas']['WorkerAnswerTaken'];
export type WorkerAnswerTakenAnswer = components['schemas']['WorkerAnswerTakenAnswer'];
export type WorkerAnswers = components['schemas']['WorkerAnswers'];
export type WorkerAnswersTaken = components['schemas']['WorkerAnswersTaken'];
export type WorkerAnswersTakenAnswer = components['schemas']['WorkerAnswersTakenAnswer'];
export type WorkerHeartbeat = components['schemas']['WorkerHeartbeat'];
export type WorkerHeartbeatAnswer = components['schemas']['WorkerHeartbeatAnswer'];
export type WorkerHeartbeatAnswerAnswer = components['schemas']['WorkerHeartbeatAnswerAnswer'];
export type WorkerLease = components['schemas']['WorkerLease'];
export type WorkerLeaseRequest = components['schemas']['WorkerLeaseRequest'];
export type WorkerLeases = components['schemas']['WorkerLeases'];
export type WorkerLeasesAnswer = components['schemas']['WorkerLeasesAnswer'];
export type Workers = components['schemas']['Workers'];
export type WorkersAnswer = components['schemas']['WorkersAnswer'];
export type WorkflowCompensation = components['schemas']['WorkflowCompensation'];
export type WorkflowCompletedEvent = components['schemas']['WorkflowCompletedEvent'];
export type WorkflowCondition = components['schemas']['WorkflowCondition'];
export type WorkflowElement = components['schemas']['WorkflowElement'];
export type WorkflowEvent = components['schemas']['WorkflowEvent'];
export type WorkflowEventAnswer = components['schemas']['WorkflowEventAnswer'];
export type WorkflowEventId = components['schemas']['WorkflowEventId'];
export type WorkflowFailedEvent = components['schemas']['WorkflowFailedEvent'];
export type WorkflowRun = components['schemas']['WorkflowRun'];
export type WorkflowRunAnswer = components['schemas']['WorkflowRunAnswer'];
export type WorkflowRunId = components['schemas']['WorkflowRunId'];
export type WorkflowRunSummary = components['schemas']['WorkflowRunSummary'];
export type WorkflowRunSummaryPage = components['schemas']['WorkflowRunSummaryPage'];
export type WorkflowSource = components['schemas']['WorkflowSource'];
export type WorkflowStep = components['schemas']['WorkflowStep'];
export type WorkflowUnknownEvent = components['schemas']['WorkflowUnknownEvent'];

/** The body of a webhook delivery; `type` determines the kind. */
export type WebhookEvent =
    | ActivationChangedEvent
    | AlertFiringEvent
    | AlertResolvedEvent
    | BudgetExhaustedEvent
    | BudgetWarningEvent
    | DeploymentCanceledEvent
    | DeploymentFailedEvent
    | DeploymentMaterializingEvent
    | DeploymentProvisioningEvent
    | DeploymentQueuedEvent
    | DeploymentReadyEvent
    | DeploymentValidatingEvent
    | DomainEntityCreatedEvent
    | DomainEntityDeletedEvent
    | DomainEntityTransitionedEvent
    | DomainEntityUpdatedEvent
    | JobFailedEvent
    | JobMissedEvent
    | OperationApprovalStatusChangedEvent
    | OperationInvocationStatusChangedEvent
    | RunCanceledEvent
    | RunCompletedEvent
    | RunCreatedEvent
    | RunExpiredEvent
    | RunFailedEvent
    | RunStartedEvent
    | RunWaitingEvent
    | SystemAgentPolicyChangedEvent
    | SystemAgentPublishedEvent
    | WebhookDisabledEvent
    | WebhookTestEvent
    | WorkflowCompletedEvent
    | WorkflowFailedEvent
    | WorkflowUnknownEvent;
