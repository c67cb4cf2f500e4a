-- wrk script: reports, each with a new reference. KEYS_FILE has one API key per line, IDS_FILE one Rupa ID per line. Run it with one
-- thread: the counter of references is per thread.
local keys, ids = {}, {}
for line in io.lines(os.getenv("KEYS_FILE")) do keys[#keys+1] = line end
for line in io.lines(os.getenv("IDS_FILE")) do ids[#ids+1] = line end
math.randomseed(os.time())
local run, count = os.time() .. "-" .. math.random(1000000000), 0
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
request = function()
  count = count + 1
  wrk.headers["X-API-KEY"] = keys[math.random(#keys)]
  return wrk.format(nil, "/v1/rupa/report", nil, '{"rupa_id":"' .. ids[math.random(#ids)] .. '","event":"loan_disbursed","amount":150000,"currency":"NGN","partner_reference":"' .. run .. "-" .. count .. '","occurred_at":"2026-03-02T09:00:00Z","payload":{"tenor_months":9,"product":"input loan"}}')
end
