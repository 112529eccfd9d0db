DROP INDEX "auth_access_tokens_user";
DROP INDEX "auth_sessions_user";
CREATE INDEX "auth_access_tokens_live" ON "auth_access_tokens" USING btree ("user_id","revoked_at");
CREATE INDEX "auth_sessions_standing" ON "auth_sessions" USING btree ("user_id","revoked_at");